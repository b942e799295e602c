"""Builds and stores a permutation of the table `keys` of a database as a job (JSON) says; prints what it took as JSON."""

import json
import os
import resource
import sys
import time

# Under its default of 100 MiB it can't sort 10 million rows ("Not enough memory to continue external sort").
os.environ["LANCEDB_PERM_BUILDER_MEMORY_LIMIT"] = str(8 << 30)

import lancedb
from lancedb.permutation import permutation_builder

database = lancedb.connect(json.loads(sys.argv[1])["database"])
start = time.perf_counter()
builder = permutation_builder(database.open_table("keys")).split_hash(["key"], [3, 1], discard_weight=0)
built = builder.shuffle(seed=7).execute()
stored = database.create_table("split", built.to_arrow())
seconds = time.perf_counter() - start
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print(json.dumps({"seconds": seconds, "peakBytes": peak, "rows": stored.count_rows()}))
