"""pyarrow: all rows are in memory already, and each batch is taken from them."""

import pyarrow as pa

from columns import columns_of, read_arrow, shuffled
from measure import measure


def epoch(job, rows):
    order = shuffled(job["rows"])
    for start in range(0, len(order), job["batchSize"]):
        places = pa.array(order[start : start + job["batchSize"]])
        yield columns_of(rows.take(places), job["decoded"])


measure(epoch, lambda job: read_arrow(job["arrow"]))
