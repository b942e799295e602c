"""pylance: a plain scan in storage order, cut into batches. What reading costs without a shuffle."""

import lance

from columns import slices_of
from measure import measure


def epoch(job, _):
    for rows in lance.dataset(job["table"]).to_batches():
        yield from slices_of(rows, job["batchSize"], job["decoded"])


measure(epoch)
