import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { StreamingDataset, type StreamingDatasetOptions } from "../../src/index.ts";
import { throughJson } from "../support/states.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { rowsOf } from "./support/blocks.ts";
import { writeDocuments } from "./support/documents.ts";

interface Case {
  readonly name: string;
  readonly documents: readonly (readonly number[])[];
  readonly options: StreamingDatasetOptions;
  readonly blocks: readonly (readonly (readonly number[])[])[];
  readonly docIds: Case["blocks"];
  readonly positionIds: Case["blocks"];
  readonly lossMask: Case["blocks"];
  readonly attentionLengths: Case["blocks"];
  readonly states?: readonly Readonly<Record<string, unknown>>[];
  readonly stats: Readonly<Record<string, number>>;
}

const folder = tempFolder();
const cases = ["concat", "best-fit"].flatMap((file) => {
  const text = readFileSync(new URL(`../golden/packing/${file}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as { cases: Case[] }).cases.map((golden) => [golden.name, golden] as const);
});
const all = { positionIds: true, lossMask: true, attentionLengths: true } as const;

describe("blocks and states are those of the golden case, also through a table:", () => {
  test.each(cases)("%s", async (name, golden) => {
    const path = await writeDocuments(folder, name.replaceAll(/\W/g, "_"), golden.documents);
    await using dataset = await StreamingDataset.open(path, { ...golden.options, ...all });
    let cycle = 0;
    for await (const batch of dataset.batches(dataset.numSplits)) {
      expect(rowsOf(batch, "inputIds")).toEqual(golden.blocks[cycle]);
      expect(rowsOf(batch, "docIds")).toEqual(golden.docIds[cycle]);
      expect(rowsOf(batch, "positionIds")).toEqual(golden.positionIds[cycle]);
      expect(rowsOf(batch, "lossMask")).toEqual(golden.lossMask[cycle]);
      const lengths = batch.rows().map((row) => Array.from(row["attentionLengths"] as Int32Array));
      expect(lengths).toEqual(golden.attentionLengths[cycle]);
      if (golden.states) expect(throughJson(dataset.stateDict())).toMatchObject(golden.states[cycle] ?? {});
      cycle++;
    }
    expect(cycle).toBe(golden.blocks.length);
    const { documents, ...totals } = golden.stats;
    expect(dataset.stats.packing).toMatchObject({ ...totals, documentsConsumed: documents });
  });

  test("there are enough of them", () => expect(cases.length).toBeGreaterThanOrEqual(8));
});
