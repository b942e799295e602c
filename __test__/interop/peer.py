"""Python LanceDB's side of the interop tests: named requests as JSON on stdin, their answers as JSON on stdout."""

import json
import sys

import lancedb
from lancedb.permutation import Permutation, Permutations, permutation_builder


def ids(permutation):
    return [row["id"] for batch in permutation.iter(batch_size=7, skip_last_batch=False) for row in batch]


def opened(database, base, branch):
    table = database.open_table(base)
    return table if branch is None else table.branches.checkout(branch)


def read(database, base, stored, branch=None):
    """The ids of each split of a stored permutation, by number, and by name where splits have names."""
    base, stored = opened(database, base, branch), database.open_table(stored)
    splits = Permutations(base, stored)
    names = list(splits.split_names)
    count = max(stored.to_arrow()["split_id"].to_pylist(), default=0) + 1
    return {
        "names": names,
        "splits": [ids(Permutation.from_tables(base, stored, split)) for split in range(count)],
        "named": {name: ids(splits[name]) for name in names},
    }


def build(database, base, stored, calls, branch=None):
    builder = permutation_builder(opened(database, base, branch))
    for name, options in calls:
        builder = getattr(builder, name)(**options)
    database.create_table(stored, builder.execute().to_arrow())
    return read(database, base, stored, branch)


work = {"read": read, "build": build}
question = json.load(sys.stdin)
connection = lancedb.connect(question["database"])
answers = {}
for name, request in question["requests"].items():
    answers[name] = work[request.pop("work")](connection, **request)
json.dump(answers, sys.stdout)
