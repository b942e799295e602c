import { readFileSync } from "node:fs";

/** The cases of a golden file of the order. */
export function goldenCases<Case>(name: string): readonly Case[] {
  return golden<{ cases: Case[] }>(`order/${name}.json`).cases;
}

/** A golden file. */
export function golden<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(`../golden/${path}`, import.meta.url), "utf8")) as Content;
}
