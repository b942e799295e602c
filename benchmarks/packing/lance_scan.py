"""pylance: a scan of the column with nothing done to it, as `run.ts` runs it."""

import json
import sys
import time

import lance

job = json.loads(sys.argv[1])
started, cpu = time.perf_counter(), time.process_time()
tokens = sum(len(batch.column(0).flatten()) for batch in lance.dataset(job["table"]).to_batches(columns=["tokens"]))
seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
print(json.dumps({"tokens": tokens, "seconds": seconds, "cpuSeconds": cpu}))
