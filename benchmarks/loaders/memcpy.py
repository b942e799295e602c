"""Each batch is copied from memory to memory, in storage order: no loader that hands over copies is faster."""

import numpy as np
import pyarrow as pa

from columns import read_arrow
from measure import measure
from tally import as_numpy, is_bytes


def prepare(job):
    rows = read_arrow(job["arrow"])
    return {name: Copier(rows.column(name), job["batchSize"]) for name in rows.schema.names}


class Copier:
    """Copies rows of a column into memory that is used again for each batch."""

    def __init__(self, column, size: int):
        self.type = column.type
        self.offsets = None
        if is_bytes(column.type):
            _, offsets, values = column.buffers()
            self.offsets = np.frombuffer(offsets, dtype=np.int32)
            self.values = np.frombuffer(values, dtype=np.uint8)
            self.memory = np.empty(size * int(np.diff(self.offsets).max()), dtype=np.uint8)
        else:
            self.values = as_numpy(column)
            self.memory = np.empty_like(self.values[:size])

    def copy(self, start: int, end: int):
        if self.offsets is None:
            target = self.memory[: end - start]
            np.copyto(target, self.values[start:end])
            return target
        ends = self.offsets[start : end + 1] - self.offsets[start]
        np.copyto(self.memory[: ends[-1]], self.values[self.offsets[start] : self.offsets[end]])
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(self.memory)]
        return pa.Array.from_buffers(self.type, end - start, buffers)


def epoch(job, columns):
    for start in range(0, job["rows"], job["batchSize"]):
        end = min(start + job["batchSize"], job["rows"])
        yield {name: column.copy(start, end) for name, column in columns.items()}


measure(epoch, prepare)
