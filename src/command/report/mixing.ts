import type { StreamingDataset, TableDescription } from "../../index.ts";
import type { Mixing, Samples } from "./data.ts";

/** Places of the epoch that are looked at, and neighbours at each. */
const stretches = 512;
const neighbours = 4;
/** The most row ids that are asked for: with many splits, fewer places are looked at. */
const mostIds = 2 ** 23;
/** Samples of the beginning. */
const firstSamples = 512;

type PlaceOf = (id: bigint) => number;

/** Where samples from all over the epoch stand in the table. Reads no row. */
export function mixingOf(dataset: StreamingDataset, table: TableDescription): Mixing {
  const placeOf = placesIn(table);
  const whole = spread(dataset, placeOf);
  const beginning = stretch(dataset, placeOf, 0, firstSamples);
  const stored = table.fragments.reduce((sum, { rows, deleted }) => sum + rows + deleted, 0);
  const rows = [...whole.places, ...beginning.places].reduce(
    (most, place) => Math.max(most, place + 1),
    stored,
  );
  return {
    whole,
    beginning,
    rows,
    correlation: correlation(whole.positions, whole.places),
    meanJump: meanJump(whole) / Math.max(1, rows),
  };
}

/** Samples from all over the epoch. */
function spread(dataset: StreamingDataset, placeOf: PlaceOf): Samples {
  const { plan, numSplits } = dataset;
  const last = Math.max(0, plan.numSteps() * numSplits - neighbours);
  const count = Math.max(2, Math.min(stretches, last, Math.floor(mostIds / numSplits)));
  const found = Array.from({ length: count }, (_, at) =>
    stretch(dataset, placeOf, Math.floor((at * last) / (count - 1)), neighbours),
  );
  return {
    positions: found.flatMap(({ positions }) => positions),
    places: found.flatMap(({ places }) => places),
  };
}

/** Neighbours in the epoch from a position on. The plan tells whole steps, a sample of every split each. */
function stretch(
  { plan, numSplits }: StreamingDataset,
  placeOf: PlaceOf,
  position: number,
  samples: number,
): Samples {
  const step = Math.floor(position / numSplits);
  const before = position - step * numSplits;
  const ids = plan.rowIds(step, step + Math.ceil((before + samples) / numSplits));
  const wanted = ids.subarray(before, before + samples);
  return {
    positions: Array.from(wanted, (_, at) => position + at),
    places: Array.from(wanted, placeOf),
  };
}

/** The place in storage order of a row id, deleted rows counted. */
function placesIn({ fragments, stableRowIds }: TableDescription): PlaceOf {
  // Stable ids were given in the order of writing.
  if (stableRowIds) return (id) => Number(id);
  const starts = new Map<number, number>();
  let end = 0;
  for (const { id, rows, deleted } of fragments) {
    starts.set(id, end);
    end += rows + deleted;
  }
  return (id) => (starts.get(Number(id >> 32n)) ?? 0) + Number(id & 0xffffffffn);
}

/** How far neighbours in the epoch lie apart in the table. */
function meanJump({ positions, places }: Samples): number {
  const jumps = places.flatMap((place, at) => {
    const isNeighbour = at > 0 && positions[at] === (positions[at - 1] ?? 0) + 1;
    return isNeighbour ? [Math.abs(place - (places[at - 1] ?? 0))] : [];
  });
  return jumps.length === 0 ? 0 : mean(jumps);
}

/** Pearson's; 0 where one of them does not vary. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const [oneMean, otherMean] = [mean(one), mean(other)];
  let [both, ofOne, ofOther] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const [x, y] = [value - oneMean, (other[at] ?? 0) - otherMean];
    both += x * y;
    ofOne += x * x;
    ofOther += y * y;
  }
  return ofOne === 0 || ofOther === 0 ? 0 : both / Math.sqrt(ofOne * ofOther);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
