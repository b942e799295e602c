// What threads this process has.
import { readdirSync, readFileSync } from "node:fs";

/** The number of threads that run transforms; Linux only. */
export function transformThreads(): number {
  return readdirSync("/proc/self/task").filter((task) => nameOf(task) === "lance-transform").length;
}

function nameOf(task: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, "utf8").trim();
  } catch (error) {
    // It ended after it was listed.
    if (["ENOENT", "ESRCH"].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
