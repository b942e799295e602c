"""Batches in the forms that loaders deliver: columns by name."""

from typing import Iterator

import numpy as np
import pyarrow as pa

from tally import as_numpy, is_bytes


def columns_of(batch: pa.RecordBatch | pa.Table, decoded: bool) -> dict:
    """The columns of a batch: numbers as NumPy arrays, text and bytes as Arrow's, or if `decoded` as Python's strings."""
    return {name: column_of(batch.column(name), decoded) for name in batch.schema.names}


def column_of(column, decoded: bool):
    if not is_bytes(column.type):
        return as_numpy(column)
    return column.to_pylist() if decoded else column


def slices_of(batch: pa.RecordBatch | pa.Table, size: int, decoded: bool) -> Iterator[dict]:
    """The rows of `batch` in batches of `size`."""
    for start in range(0, batch.num_rows, size):
        yield columns_of(batch.slice(start, size), decoded)


def columns_of_rows(rows: list[dict]) -> dict:
    """Rows as a training step needs them: one array a column of numbers, one list a column of text or bytes."""
    return {name: stack([row[name] for row in rows]) for name in rows[0]}


def stack(values: list):
    if isinstance(values[0], (str, bytes)):
        return values
    if isinstance(values[0], list):
        return np.array(values, dtype=np.float32)
    return np.stack(values) if isinstance(values[0], np.ndarray) else np.array(values)


def read_arrow(path: str) -> pa.RecordBatch:
    """The rows of an Arrow stream in memory, in one piece."""
    with open(path, "rb") as file:
        table = pa.ipc.open_stream(file).read_all()
    (batch,) = table.combine_chunks().to_batches()
    return batch


def shuffled(rows: int) -> np.ndarray:
    """The numbers of all rows, fully shuffled."""
    return np.random.default_rng(1).permutation(rows)
