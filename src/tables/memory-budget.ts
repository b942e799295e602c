import { totalmem } from "node:os";

/** The smaller of 1 GiB and a quarter of the memory that the process may use, a container's limit counted. */
export function defaultMemoryBudget(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  const usable = constrained > 0 && constrained < total ? constrained : total;
  return Math.min(2 ** 30, Math.floor(usable / 4));
}
