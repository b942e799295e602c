import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Field, Int32, List, Table, vectorFromArray } from "apache-arrow";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamingDataset } from "../../src/index.ts";
import { readIds } from "../support/reading.ts";
import { range, tablePath, writeIds, writeTable } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openBrowser } from "./support/browser.ts";
import { failure, json, run } from "./support/command.ts";

/** For a browser on a busy machine. */
const patience = { timeout: 20_000 };
const folder = tempFolder();
let table = "";
let browser: Browser;

beforeAll(async () => {
  table = await writeIds(folder, "ids", 6000, { fragments: 3, deleted: "id % 10 = 1" });
  const lists = range(0, 300).map((id) => Array.from({ length: 5 + (id % 40) }, (_, at) => at + 2));
  const tokens = vectorFromArray(lists, new List(new Field("item", new Int32(), true)));
  await writeTable(folder, "tokens", [new Table({ tokens })]);
  browser = await openBrowser();
}, 300_000);

afterAll(() => browser?.close());

interface Reported {
  readonly out: string;
  readonly bytes: number;
  readonly rows: number;
  readonly correlation: number;
}

describe("report", () => {
  it.each(["light", "dark"] as const)(
    "draws_every_chart_in_%s_with_nothing_but_the_page",
    async (colorScheme) => {
      const { out } = await report(`${colorScheme}.html`, table, "--num-splits", "4", "--clump", "16");
      const { page, seen } = await open(out, colorScheme);
      for (const id of [
        "splits",
        "fragments",
        "whole-epoch",
        "beginning",
        "requests",
        "amplification",
        "speed",
        "waiting",
      ])
        await expect.poll(() => inked(page, id), { ...patience, message: id }).toBeGreaterThan(200);
      expect(await page.locator("figure canvas").count()).toBe(8);
      expect(seen).toEqual({ problems: [], requests: [pathToFileURL(out).href] });
      const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(ground).toBe(colorScheme === "light" ? "rgb(246, 247, 249)" : "rgb(20, 23, 27)");
      await page.close();
    },
  );

  it("draws_its_charts_again_when_the_colours_change", async () => {
    const { out } = await report("changing.html", table);
    const { page, seen } = await open(out, "light");
    await expect.poll(() => inked(page, "splits"), patience).toBeGreaterThan(200);
    const light = await picture(page, "splits");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => picture(page, "splits"), patience).not.toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => picture(page, "splits"), patience).toBe(light);
    expect(seen.problems).toEqual([]);
    await page.close();
  });

  it("fits_a_narrow_window", async () => {
    const { out } = await report("narrow.html", table);
    const { page } = await open(out, "light");
    await page.setViewportSize({ width: 390, height: 800 });
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    await expect.poll(() => page.evaluate(overflow), patience).toBe(0);
    await page.close();
  });

  it("tells_a_shuffle_from_storage_order", async () => {
    const shuffled = await report("shuffled.html", table);
    const stored = await report("stored.html", table, "--no-shuffle");
    expect(Math.abs(shuffled.correlation)).toBeLessThan(0.1);
    expect(stored.correlation).toBeGreaterThan(0.999);
  });

  it("looks_at_all_splits_and_the_whole_epoch", async () => {
    const { out } = await report("splits.html", table, "--no-shuffle", "--num-splits", "60");
    const { whole, beginning, rows } = dataOf(out).mixing;
    expect(rows).toBe(6000);
    for (const tenth of range(0, 10)) {
      const isThere = (place: number) => Math.floor(place / 600) === tenth;
      expect(whole.places.some(isThere)).toBe(true);
      expect(whole.positions.some((position) => Math.floor(position / 540) === tenth)).toBe(true);
    }
    // Positions are those of the samples, one split after the other.
    await using dataset = await StreamingDataset.open(table, {
      shuffle: false,
      numSplits: 60,
      columns: ["id"],
    });
    const ids = (await readIds(dataset)).slice(0, 512);
    expect(beginning.places).toEqual(ids);
    expect(beginning.positions).toEqual(range(0, 512));
  });

  it("shows_the_splits_of_a_permutation_and_what_a_transform_waits_for", async () => {
    await json(["permute", table, "--name", "split", "--ratios", "0.75,0.25", "--names", "<train>,val"]);
    const transform = join(folder, "transform.mjs");
    writeFileSync(transform, "export default (batch) => batch.rows();");
    const permutation = ["--permutation", tablePath(folder, "split"), "--split", "val"];
    const run = ["--transform", transform, "--consumer-ms", "1", "--batch-size", "100"];
    const { out, rows } = await report("permuted.html", table, ...permutation, ...run);
    expect(rows).toBe(1350);
    const { splits, throughput } = dataOf(out);
    expect(splits).toEqual([
      { name: "<train>", rows: 4050 },
      { name: "val", rows: 1350 },
    ]);
    for (const { reading, transforming, consumer } of throughput.stretches)
      expect(reading + transforming + consumer).toBeCloseTo(1, 6);
    const { page, seen } = await open(out, "dark");
    expect(seen.problems).toEqual([]);
    await page.close();
  });

  it("shows_how_well_documents_are_packed", async () => {
    const tokens = tablePath(folder, "tokens");
    const out = join(folder, "packed.html");
    const pack = ["--pack", "64", "--pack-column", "tokens", "--eos", "1"];
    const ended = await run(["report", tokens, "--out", out, ...pack]);
    expect(ended.code).toBe(0);
    expect(ended.errors).toMatch(/^lance-loader: warning: blocksPerEpoch "auto" [^\n]+\n$/);
    const { packing } = dataOf(out);
    expect(packing.map(({ mode }) => mode)).toEqual(["concat", "bestFit"]);
    for (const { documents, utilization } of packing) {
      expect(documents.length).toBe(utilization.length);
      expect(utilization.at(-1)).toBeGreaterThan(0.8);
    }
    const { page } = await open(out, "light");
    await expect.poll(() => inked(page, "utilization"), patience).toBeGreaterThan(200);
    await page.close();
    await failure(["report", tokens, "--pack", "64", "--out", out], 2, "INVALID_ARGUMENT");
  });

  it("stays_small_and_fails_where_it_can_not_be_written", async () => {
    const { out, bytes } = await report("small.html", table);
    expect(statSync(out).size).toBe(bytes);
    expect(bytes).toBeLessThan(300_000);
    await failure(["report", table, "--out", join(folder, "no", "folder.html")], 3, "ENOENT");
  });

  it("would_be_seen_to_load_something_by_these_tests", async () => {
    const file = join(folder, "loading.html");
    writeFileSync(file, '<img src="nowhere.png"><script>throw new Error("broken")</script>');
    const { page, seen } = await open(file, "light");
    expect(seen.requests).toHaveLength(2);
    expect(seen.problems).not.toEqual([]);
    await page.close();
  });
});

async function report(name: string, source: string, ...args: readonly string[]): Promise<Reported> {
  return await json<Reported>(["report", source, "--out", join(folder, name), ...args]);
}

/** Opens a page, and keeps what it asks for and complains about. */
async function open(file: string, colorScheme: "light" | "dark") {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 900 } });
  const seen = { problems: [] as string[], requests: [] as string[] };
  page.on("pageerror", (error) => seen.problems.push(error.message));
  page.on("console", (message) => seen.problems.push(message.text()));
  page.on("request", (request) => seen.requests.push(request.url()));
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  return { page, seen };
}

/** How many pixels of a chart are painted. */
async function inked(page: Page, id: string): Promise<number> {
  return await page.evaluate(`(() => {
    const canvas = document.querySelector("#${id} canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((alpha, at) => at % 4 === 3 && alpha > 0).length;
  })()`);
}

async function picture(page: Page, id: string): Promise<string> {
  return await page.evaluate(`document.querySelector("#${id} canvas").toDataURL()`);
}

interface Samples {
  readonly positions: readonly number[];
  readonly places: readonly number[];
}

interface Shown {
  readonly mixing: { readonly whole: Samples; readonly beginning: Samples; readonly rows: number };
  readonly splits: readonly { readonly name: string; readonly rows: number }[];
  readonly throughput: {
    readonly stretches: readonly Readonly<Record<"reading" | "transforming" | "consumer", number>>[];
  };
  readonly packing: readonly {
    readonly mode: string;
    readonly documents: readonly number[];
    readonly utilization: readonly number[];
  }[];
}

/** What a page shows, as it carries it. */
function dataOf(file: string): Shown {
  const text = readFileSync(file, "utf8");
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? "null");
}
