import { afterAll, afterEach } from "vitest";
import { describeCache } from "./suites/cache.ts";
import { describeErrors } from "./suites/errors.ts";
import { describeFaults } from "./suites/faults.ts";
import { describePermutations } from "./suites/permutations.ts";
import { describeProcesses } from "./suites/processes.ts";
import { describeReading } from "./suites/reading.ts";
import { describeRequests } from "./suites/requests.ts";
import { TestStore } from "./support/store.ts";

// One server for all suites: it takes seconds to start.
const store = await TestStore.start();
afterEach(() => store.forget());
afterAll(() => store.stop());

describeReading(store);
describePermutations(store);
describeFaults(store);
describeErrors(store);
describeProcesses(store);
describeRequests(store);
describeCache(store);
