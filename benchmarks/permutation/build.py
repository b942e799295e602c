"""Builds and stores a permutation of the table `keys` in the database of the first argument; prints what it took as JSON."""

import json
import resource
import sys
import time

import lancedb
from lancedb.permutation import permutation_builder

database = lancedb.connect(sys.argv[1])
start = time.perf_counter()
built = permutation_builder(database.open_table("keys")).split_hash(["key"], [3, 1]).shuffle(seed=7).execute()
database.create_table("split", built.to_arrow())
seconds = time.perf_counter() - start
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({"seconds": seconds, "peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit}))
