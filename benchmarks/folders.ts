import { join } from "node:path";

/** The checkout. */
export const root = join(import.meta.dirname, "..");

/** Tables that are measured; deleting it makes them anew. */
export const dataFolder = join(root, ".data", "bench");

/** Results that are committed. */
export const resultsFolder = join(import.meta.dirname, "results");
