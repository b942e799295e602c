import { readFileSync } from "node:fs";

/** The cases of a golden file of the order. */
export function goldenCases<Case>(name: string): readonly Case[] {
  const path = new URL(`../golden/order/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: Case[] }).cases;
}
