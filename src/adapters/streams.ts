import { Readable } from "node:stream";
import { invalid } from "../check.ts";
import { LanceLoaderError } from "../errors.ts";

/** A Node.js stream of objects that says what they are. */
export interface ObjectReadable<Chunk> extends Readable {
  /** The next chunk where it is there, else `null`. */
  read(): Chunk | null;
  /** The rest of the chunks. Leaving the loop destroys the stream. */
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Chunk>;
}

/**
 * A dataset, a loader or any other source as a Web `ReadableStream`, one chunk for each thing that its loop would be given.
 *
 * The stream reads the rest of the epoch. It asks for a chunk when somebody waits for one and holds none back, so that a state that is taken after a chunk came
 * resumes behind that chunk. (`pipeTo`, `pipeThrough` and `tee` take chunks as far ahead as their own queues want; those count as handed over.)
 * Cancelling it leaves the source's loop: reads stop, memory is freed, the progress stays where it is.
 *
 * @param source - a `StreamingDataset` (samples), a `StreamingDataLoader` or `dataset.batches(n)` (batches).
 * @throws `LanceLoaderError` `INVALID_ARGUMENT`. What the source throws, the stream errors with, behind the chunks before it.
 *
 * @example
 * ```ts
 * for await (const batch of toReadableStream(loader)) step(batch);
 * ```
 */
export function toReadableStream<Chunk>(source: AsyncIterable<Chunk>): ReadableStream<Chunk> {
  const open = opener(source);
  let iterator: AsyncIterator<Chunk> | undefined;
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        iterator ??= open();
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator?.return?.();
      },
    },
    // A queue of chunks would be handed over without anybody having got them.
    { highWaterMark: 0 },
  );
}

/**
 * A dataset, a loader or any other source as a Node.js `Readable` in object mode, one chunk for each thing that its loop would be given.
 *
 * The stream reads the rest of the epoch and holds no chunks back, so that a state that is taken after a chunk came resumes behind that chunk. (A `pipe` takes
 * chunks as far ahead as the streams behind it want; those count as handed over.) Destroying it leaves the source's loop: reads stop, memory is freed, the progress stays
 * where it is.
 *
 * @param source - a `StreamingDataset` (samples), a `StreamingDataLoader` or `dataset.batches(n)` (batches). `null` ends a Node.js stream: a source that gives it is an error.
 * @throws `LanceLoaderError` `INVALID_ARGUMENT`. What the source throws, the stream is destroyed with, behind the chunks before it.
 *
 * @example
 * ```ts
 * await pipeline(toReadable(loader), encode, createWriteStream("out.bin"));
 * ```
 */
export function toReadable<Chunk>(source: AsyncIterable<Chunk>): ObjectReadable<Chunk> {
  const open = opener(source);
  let iterator: AsyncIterator<Chunk> | undefined;
  return new Readable({
    objectMode: true,
    highWaterMark: 0,
    read() {
      iterator ??= open();
      iterator.next().then(
        ({ done, value }) => {
          if (done) this.push(null);
          else if (value === null) this.destroy(nullChunk());
          else this.push(value);
        },
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      const left = iterator?.return?.() ?? Promise.resolve();
      left.then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
}

function nullChunk(): LanceLoaderError {
  return new LanceLoaderError(
    "INVALID_ARGUMENT",
    "source gave null, which ends a Node.js stream, so that what follows would be lost: let the transform give something else, or use toReadableStream.",
  );
}

/** What opens the source's loop, when the first chunk is asked for. */
function opener<Chunk>(source: AsyncIterable<Chunk>): () => AsyncIterator<Chunk> {
  if (typeof source?.[Symbol.asyncIterator] !== "function")
    throw invalid("source", source, "a dataset, a loader or another async iterable");
  return () => source[Symbol.asyncIterator]();
}
