"""Runs a loader for the epochs that its job asks for, and prints what was counted and timed: `LoaderOutput` of `job.ts`."""

import json
import resource
import sys
import time
from typing import Any, Callable, Iterator

import numpy as np
import pyarrow as pa

from tally import Tally


def measure(epoch: Callable[[dict, Any], Iterator[dict]], prepare: Callable[[dict], Any] = lambda _: None) -> None:
    """`epoch(job, prepared)` opens everything and yields batches, each a column by name; `prepare(job)` runs before the clock does."""
    job = json.loads(sys.argv[1])
    prepared = prepare(job)
    pa.array(np.zeros(1)).to_numpy()  # The first conversion imports pandas.
    start_bytes = forget_peak()
    counts = [count_epoch(job, epoch, prepared) for _ in range(job["epochs"])]
    print(json.dumps({"epochs": counts, "startBytes": start_bytes, "peakBytes": peak_bytes()}))


def count_epoch(job: dict, epoch: Callable[[dict, Any], Iterator[dict]], prepared: Any) -> dict:
    started, cpu_started = time.perf_counter(), cpu_seconds()
    tally = Tally(job["rows"])
    first = None
    for columns in epoch(job, prepared):
        if first is None:
            first = {"firstBatchSeconds": time.perf_counter() - started, "firstBatchRows": len(columns["id"])}
        tally.add(columns)
    seconds, cpu = time.perf_counter() - started, cpu_seconds() - cpu_started
    return {**tally.count(), "seconds": seconds, "cpuSeconds": cpu, **(first or {})}


def cpu_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def forget_peak() -> int:
    """Memory in use. On Linux the peak starts again from it, so that imports and preparations don't count."""
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
        return status_bytes("VmRSS")
    except OSError:
        return peak_bytes()


def peak_bytes() -> int:
    try:
        return status_bytes("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def status_bytes(name: str) -> int:
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))
