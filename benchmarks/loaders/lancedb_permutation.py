"""The Permutation of LanceDB's Python package, built in memory and read as Arrow batches of `read_rows` rows."""

import os

import lancedb
from lancedb.permutation import Permutation, permutation_builder

from columns import slices_of
from measure import measure


def epoch(job, _):
    folder, name = os.path.split(job["table"])
    table = lancedb.connect(folder).open_table(name.removesuffix(".lance"))
    order = permutation_builder(table).shuffle(seed=1).execute()
    permutation = Permutation.from_tables(table, order).with_format("arrow")
    for rows in permutation.iter(job["options"]["read_rows"]):
        yield from slices_of(rows, job["batchSize"], job["decoded"])


measure(epoch)
