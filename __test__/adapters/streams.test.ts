import { PassThrough, type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { type ObjectReadable, toReadable, toReadableStream } from "../../src/adapters/streams.ts";
import { type Batch, type Row, StreamingDataLoader, StreamingDataset } from "../../src/index.ts";
import { failure } from "../support/errors.ts";
import { epochIds, idOf, idsOf, readIds, withDataset } from "../support/reading.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const rows = 40;
const options = { numSplits: 4, shuffleSeed: 5, remainder: "keep" } as const;
let path: string;
let whole: number[];

beforeAll(async () => {
  path = await writeIds(folder, "ids", rows, { fragments: 3 });
  whole = await epochIds(path, options);
});

/** Both adapters, by what they make. */
const adapters: readonly (readonly [
  string,
  <Chunk>(source: AsyncIterable<Chunk>) => AsyncIterable<Chunk>,
])[] = [
  ["ReadableStream", toReadableStream],
  ["Readable", toReadable],
];

describe.each(adapters)("a %s", (_, adapt) => {
  it("gives_the_samples_of_a_dataset_and_the_batches_of_a_loader_in_order", async () => {
    await withDataset(path, options, async (dataset) => {
      const samples: number[] = [];
      for await (const sample of adapt(dataset)) samples.push(idOf(sample));
      expect(samples).toEqual(whole);
      expect(dataset.epoch).toBe(1);
      dataset.setEpoch(0);
      const sizes: number[] = [];
      for await (const { numRows } of adapt(new StreamingDataLoader(dataset, { batchSize: 16 })))
        sizes.push(numRows);
      expect(sizes).toEqual([16, 16, 8]);
    });
  });

  it("a_state_after_any_chunk_resumes_behind_it", async () => {
    await using dataset = await StreamingDataset.open(path, options);
    await using resumed = await StreamingDataset.open(path, options);
    let taken = 0;
    for await (const batch of adapt(dataset.batches(4))) {
      taken += batch.numRows;
      // Time in which a stream that reads ahead would have done so.
      await new Promise((resolve) => setTimeout(resolve, 2));
      resumed.loadStateDict(dataset.stateDict());
      expect(await readIds(resumed)).toEqual(whole.slice(taken));
    }
    expect(taken).toBe(rows);
  });

  it("leaving_its_loop_leaves_the_dataset_where_it_is", async () => {
    await withDataset(path, options, async (dataset) => {
      for await (const batch of adapt(dataset.batches(8))) if (idsOf(batch).includes(whole[8] ?? -1)) break;
      expect(await readIds(dataset)).toEqual(whole.slice(16));
    });
  });

  it("an_error_comes_behind_the_chunks_before_it", async () => {
    async function* failing(): AsyncGenerator<number> {
      yield* [1, 2];
      throw new Error("no more");
    }
    const seen: number[] = [];
    const read = async () => {
      for await (const chunk of adapt(failing())) seen.push(chunk);
    };
    await expect(read()).rejects.toThrow("no more");
    expect(seen).toEqual([1, 2]);
  });

  it("reads_nothing_before_a_chunk_is_asked_for", async () => {
    await withDataset(path, options, async (dataset) => {
      const stream = adapt(dataset);
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(await readIds(dataset)).toEqual(whole);
      expect(stream).toBeDefined();
    });
  });

  it("refuses_what_is_no_source", async () => {
    const noSource = 7 as unknown as AsyncIterable<number>;
    await failure(() => adapt(noSource), "INVALID_ARGUMENT", "source is 7", "a dataset, a loader");
  });
});

describe("a Readable", () => {
  it("holds_no_chunk_back_behind_listeners_that_pause_it", async () => {
    await withDataset(path, options, async (dataset) => {
      const stream = toReadable(dataset.batches(8));
      const counts: [number, number][] = [];
      let taken = 0;
      stream.on("data", (batch: Batch) => {
        taken += batch.numRows;
        stream.pause();
        setTimeout(() => {
          counts.push([dataset.stats.consumedRows, taken]);
          stream.resume();
        }, 2);
      });
      await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject));
      expect(counts.map(([consumed]) => consumed)).toEqual([8, 16, 24, 32, 40].slice(0, counts.length));
      expect(counts.every(([consumed, got]) => consumed === got)).toBe(true);
      expect(taken).toBe(rows);
    });
  });

  it("a_stream_behind_it_counts_as_a_consumer", async () => {
    await withDataset(path, options, async (dataset) => {
      const behind = new PassThrough({ objectMode: true, highWaterMark: 2 });
      const stream = toReadable(dataset.batches(4));
      stream.pipe(behind);
      await new Promise((resolve) => behind.once("readable", resolve));
      await expect.poll(() => dataset.stats.consumedRows).toBeGreaterThan(4);
      stream.destroy();
      behind.destroy();
    });
  });

  it("a_pipeline_that_fails_leaves_the_loop", async () => {
    await withDataset(path, options, async (dataset) => {
      const broken = new Writable({
        objectMode: true,
        highWaterMark: 1,
        write: (_chunk, _encoding, done) => done(new Error("disk full")),
      });
      await expect(pipeline(toReadable(dataset.batches(8)), broken)).rejects.toThrow("disk full");
      expect(await readIds(dataset)).toEqual(whole.slice(8));
    });
  });

  it("null_is_an_error_and_no_early_end", async () => {
    async function* source(): AsyncGenerator<number | null> {
      yield* [1, null, 3];
    }
    const stream = toReadable(source());
    const seen: (number | null)[] = [];
    await failure(
      async () => {
        for await (const chunk of stream) seen.push(chunk);
      },
      "INVALID_ARGUMENT",
      "source gave null",
      "toReadableStream",
    );
    expect(seen).toEqual([1]);
  });
});

it("streams_say_what_their_chunks_are", async () => {
  await withDataset(path, options, async (dataset) => {
    const loader = new StreamingDataLoader(dataset, { batchSize: 8, collate: (batch) => batch.numRows });
    expectTypeOf(toReadableStream(dataset)).toEqualTypeOf<ReadableStream<Row>>();
    expectTypeOf(toReadableStream(loader)).toEqualTypeOf<ReadableStream<number>>();
    expectTypeOf(toReadable(dataset.batches(2))).toEqualTypeOf<ObjectReadable<Batch>>();
    expectTypeOf(toReadable(loader)).toExtend<Readable>();
    expectTypeOf(toReadable(loader).read).returns.toEqualTypeOf<number | null>();
  });
});
