"""`pack_sequences` of LanceDB's Python package, as `run.ts` runs it; stops after the job's seconds.

Its reads are of 64 rows, its default: with 32 or 1024 it was slower.
"""

import json
import os
import sys
import time

import lancedb
from lancedb.streaming import StreamingDataset

job = json.loads(sys.argv[1])
started, cpu = time.perf_counter(), time.process_time()
folder, name = os.path.split(job["table"])
table = lancedb.connect(folder).open_table(name.removesuffix(".lance"))
dataset = StreamingDataset(
    table,
    columns=["tokens"],
    num_splits=4,
    shuffle=job["shuffle"],
    shuffle_seed=1,
    pack_sequences=job["length"],
    eos_id=50_256,
    pad_id=50_256,
    blocks_per_epoch=job["blocks"],
)
tokens = 0
for block in dataset:
    tokens += len(block["input_ids"])
    if time.perf_counter() - started > job["seconds"]:
        break
seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
print(json.dumps({"tokens": tokens, "seconds": seconds, "cpuSeconds": cpu}))
# Threads that read ahead may not end by themselves.
sys.stdout.flush()
os._exit(0)
