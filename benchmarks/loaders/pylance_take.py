"""pylance: windows of `window_rows` shuffled rows, each taken in storage order and put into its own, one read ahead."""

from concurrent.futures import ThreadPoolExecutor

import lance
import numpy as np

from columns import shuffled, slices_of
from measure import measure


def epoch(job, _):
    dataset = lance.dataset(job["table"])
    size = job["options"]["window_rows"]
    order = shuffled(dataset.count_rows())
    windows = [order[start : start + size] for start in range(0, len(order), size)]

    def take(window):
        places = np.argsort(window)
        rows = dataset.take(window[places]).combine_chunks()
        back = np.empty_like(places)
        back[places] = np.arange(len(places))
        return rows.take(back)

    with ThreadPoolExecutor(2) as pool:
        reads = [pool.submit(take, window) for window in windows[:2]]
        for at in range(len(windows)):
            rows = reads.pop(0).result()
            reads += [pool.submit(take, window) for window in windows[at + 2 : at + 3]]
            yield from slices_of(rows, job["batchSize"], job["decoded"])


measure(epoch)
