import type { EpochCount } from "../loaders/job.ts";
import type { StoredWorkload } from "../workloads/workload.ts";
import { checkEpoch } from "./check.ts";

const workload: StoredWorkload = {
  name: "control",
  description: "four rows",
  rows: 4,
  table: "",
  arrow: "",
  bytes: 32,
  touched: 10,
};

const right: EpochCount = {
  rows: 4,
  batches: 1,
  distinct: 4,
  idSum: 6,
  touched: 10,
  spread: 1,
  seconds: 1,
  cpuSeconds: 1,
  firstBatchSeconds: 1,
  firstBatchRows: 4,
};

/** Fails unless `checkEpoch` accepts a right epoch and none that lost, repeated, exchanged or changed a row. */
export function checkTheCheck(): void {
  checkEpoch("a right epoch", workload, right);
  const lost = { rows: 3, distinct: 3, idSum: 3, touched: 7 };
  const repeated = { rows: 5, idSum: 9, touched: 13 };
  const exchanged = { distinct: 3, idSum: 6 };
  const wrongId = { idSum: 7 };
  const changed = { touched: 9.999 };
  const unread = { touched: 0 };
  for (const wrong of [lost, repeated, exchanged, wrongId, changed, unread]) {
    if (accepts({ ...right, ...wrong }))
      throw new Error(`The check of epochs accepts a wrong one: ${JSON.stringify(wrong)}.`);
  }
}

function accepts(epoch: EpochCount): boolean {
  try {
    checkEpoch("a wrong epoch", workload, epoch);
    return true;
  } catch {
    return false;
  }
}
