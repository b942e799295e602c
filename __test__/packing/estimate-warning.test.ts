import { beforeAll, describe, expect, test } from "vitest";
import { runChild } from "../process/support/child.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { numberedDocuments, writeDocuments } from "./support/documents.ts";

const folder = tempFolder();
const program = new URL("../process/children/estimate.ts", import.meta.url);
let path: string;

beforeAll(async () => {
  path = await writeDocuments(folder, "corpus", numberedDocuments([3, 6, 2, 5, 8, 1]));
});

describe("a process is told that blocksPerEpoch is an estimate", () => {
  test.each([
    ["once, however many datasets estimate it", ["auto", "auto", "auto"], ["LANCE_LOADER_BLOCKS_PER_EPOCH"]],
    ["also after datasets with numbers", [4, "auto"], ["LANCE_LOADER_BLOCKS_PER_EPOCH"]],
    ["not where it is a number", [4, 4], []],
  ])("%s", async (_, budgets, warnings) => {
    const ended = await runChild(program, [path, JSON.stringify(budgets)]);
    expect(ended).toMatchObject({ code: 0, lines: warnings });
  });
});
