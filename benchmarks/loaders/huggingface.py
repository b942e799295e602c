"""Hugging Face datasets: the rows as a memory-mapped Arrow file, and a shuffled list of indices into it. `format` is one of its formats."""

from datasets import Dataset

from columns import columns_of
from measure import measure


def epoch(job, _):
    dataset = Dataset.from_file(job["arrow"])
    # In memory: an index that is kept on disk would be there already in the next run.
    shuffled = dataset.shuffle(seed=1, keep_in_memory=True).with_format(job["options"]["format"])
    for batch in shuffled.iter(job["batchSize"]):
        yield batch if isinstance(batch, dict) else columns_of(batch.combine_chunks(), job["decoded"])


measure(epoch)
