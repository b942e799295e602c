"""NumPy: all rows are in memory already, and each batch is gathered from them."""

import numpy as np

from columns import read_arrow, shuffled
from measure import measure
from tally import as_numpy, is_bytes


def prepare(job):
    rows = read_arrow(job["arrow"])
    return {name: in_memory(rows.column(name)) for name in rows.schema.names}


def in_memory(column):
    """Numbers, and bytes of equal length, as one array; text as an array of Python's strings."""
    if not is_bytes(column.type):
        return as_numpy(column)
    values = column.to_pylist()
    if isinstance(values[0], bytes):
        return np.frombuffer(b"".join(values), dtype=np.uint8).reshape(len(values), -1)
    return np.array(values, dtype=object)


def epoch(job, columns):
    order = shuffled(job["rows"])
    for start in range(0, len(order), job["batchSize"]):
        places = order[start : start + job["batchSize"]]
        yield {name: column.take(places, axis=0) for name, column in columns.items()}


measure(epoch, prepare)
