"""The StreamingDataset of LanceDB's Python package. It yields rows; the job's options are its own, and `keep_arrays`."""

import os

import lancedb
import pyarrow as pa
from lancedb.streaming import StreamingDataset

from columns import columns_of_rows
from measure import measure
from tally import as_numpy, is_bytes


def keep_arrays(batch: pa.RecordBatch) -> list[dict]:
    """Rows whose vectors are NumPy arrays: the quickest form that its API allows. By default a vector is a list of Python floats."""
    columns = [column.to_pylist() if is_bytes(column.type) else as_numpy(column) for column in batch.columns]
    return [dict(zip(batch.schema.names, row)) for row in zip(*columns)]


def epoch(job, _):
    options = dict(job["options"])
    if options.pop("keep_arrays", False):
        options["transform"] = keep_arrays
    folder, name = os.path.split(job["table"])
    table = lancedb.connect(folder).open_table(name.removesuffix(".lance"))
    rows = []
    for row in StreamingDataset(table, shuffle=True, shuffle_seed=1, **options):
        rows.append(row)
        if len(rows) == job["batchSize"]:
            yield columns_of_rows(rows)
            rows = []
    if rows:
        yield columns_of_rows(rows)


measure(epoch)
