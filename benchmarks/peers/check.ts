import type { EpochCount } from "../loaders/job.ts";
import type { StoredWorkload } from "../workloads/workload.ts";

/**
 * Fails unless an epoch delivered every row once and of each column what was written.
 *
 * @param who - The loader, for the message.
 */
export function checkEpoch(who: string, workload: StoredWorkload, epoch: EpochCount): void {
  const { rows, touched } = workload;
  const wanted = { rows, distinct: rows, idSum: (rows * (rows - 1)) / 2 };
  for (const [name, value] of Object.entries(wanted)) {
    const found = epoch[name as keyof typeof wanted];
    if (found !== value) throw new Error(`${who} is wrong: ${name} is ${found}, and should be ${value}.`);
  }
  // Sums of floats depend on the order in their last digits.
  if (Math.abs(epoch.touched - touched) > 1e-9 * Math.abs(touched))
    throw new Error(`${who} is wrong: its columns add up to ${epoch.touched}, and should to ${touched}.`);
}
