import { createRequire } from "node:module";
import type { Arrow } from "./spec.ts";

const require = createRequire(import.meta.url);

/** Copies of apache-arrow: both ends of the supported range, and second instances of each version that a suite may run on. */
export const copies: [name: string, arrow: Arrow][] = [
  ["the lowest version", (await import("arrow-lowest")) as unknown as Arrow],
  ["a second copy of the lowest version", require("arrow-lowest")],
  ["the highest version", (await import("arrow-highest")) as unknown as Arrow],
  ["a second copy of the highest version", require("arrow-highest")],
  ["a second copy of the installed version", require("apache-arrow")],
];
