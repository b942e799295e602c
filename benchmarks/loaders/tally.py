"""Counts the rows of one epoch. `tally.ts` is its twin: both must count alike."""

import numpy as np
import pyarrow as pa


class Tally:
    """What was counted of an epoch, batch by batch."""

    def __init__(self, rows: int):
        """`rows` are those of the table; ids are from 0 to below it."""
        self.seen = np.zeros(rows, dtype=bool)
        self.rows = 0
        self.batches = 0
        self.id_sum = 0
        self.touched = 0.0
        self.spread = 0.0

    def add(self, columns: dict) -> None:
        """Counts a batch: its ids, and something of every row of every other column."""
        for name, column in columns.items():
            if name == "id":
                self._add_ids(as_numpy(column))
            else:
                self.touched += touch(column)

    def _add_ids(self, ids: np.ndarray) -> None:
        self.seen[ids] = True
        self.rows += len(ids)
        self.batches += 1
        self.id_sum += int(ids.sum())
        self.spread += float(ids.std())

    def count(self) -> dict:
        return {
            "rows": self.rows,
            "batches": self.batches,
            "distinct": int(self.seen.sum()),
            "idSum": self.id_sum,
            "touched": self.touched,
            "spread": self.spread,
        }


def touch(column) -> float:
    """Reads something of every row: integers are added up; of a list of numbers its first and its last one; of text or bytes the
    first and the last byte and the length."""
    if isinstance(column, pa.ChunkedArray):
        return sum(touch(chunk) for chunk in column.chunks)
    if isinstance(column, pa.Array):
        return touch_bytes(column) if is_bytes(column.type) else touch(as_numpy(column))
    if not isinstance(column, np.ndarray) or column.dtype == object:
        return touch_values(column)
    if column.ndim == 1:
        return float(column.sum(dtype=np.int64))
    ends = column[:, 0].sum(dtype=np.float64) + column[:, -1].sum(dtype=np.float64)
    return float(ends) + (column.size if column.dtype == np.uint8 else 0)


def touch_bytes(array: pa.Array) -> float:
    _, offsets, values = array.buffers()
    width = np.int64 if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type) else np.int32
    ends = np.frombuffer(offsets, dtype=width)[array.offset : array.offset + len(array) + 1]
    values = np.frombuffer(values, dtype=np.uint8)
    return float(values[ends[:-1]].sum() + values[ends[1:] - 1].sum() + (ends[-1] - ends[0]))


def touch_values(values) -> float:
    if isinstance(values[0], str):
        return float(sum(ord(value[0]) + ord(value[-1]) + len(value) for value in values))
    return float(sum(value[0] + value[-1] + len(value) for value in values))


def is_bytes(kind: pa.DataType) -> bool:
    """Whether a column is of variable-length text or bytes."""
    return (
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_large_binary(kind)
    )


def as_numpy(column) -> np.ndarray:
    """A column of numbers as an array, one of fixed-size lists as an array of two dimensions. Nothing is copied, but chunks are joined."""
    if isinstance(column, np.ndarray):
        return column
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_fixed_size_list(column.type):
        return column.flatten().to_numpy().reshape(len(column), -1)
    return column.to_numpy()
