import type { StreamingDataset, TableDescription } from "../../index.ts";
import type { Mixing } from "./data.ts";

/** Stretches of the epoch that are looked at, and samples of each. */
const stretches = 64;
const samplesOfStretch = 64;

/** Where samples from all over the epoch stand in the table. Reads no row. */
export function mixingOf(dataset: StreamingDataset, table: TableDescription): Mixing {
  const { plan, numSplits } = dataset;
  const steps = plan.numSteps();
  const stepsOfStretch = Math.max(1, Math.ceil(samplesOfStretch / numSplits));
  const count = Math.min(stretches, Math.max(1, Math.floor(steps / stepsOfStretch)));
  const places: number[] = [];
  const positions: number[] = [];
  let [jumps, pairs] = [0, 0];
  const placeOf = placesIn(table);
  for (let stretch = 0; stretch < count; stretch++) {
    const first = Math.floor((stretch * Math.max(0, steps - stepsOfStretch)) / Math.max(1, count - 1));
    const ids = plan.rowIds(first, first + stepsOfStretch).subarray(0, samplesOfStretch);
    const found = Array.from(ids, placeOf);
    positions.push(...found.map((_, at) => first * numSplits + at));
    places.push(...found);
    for (const [at, place] of found.entries()) {
      if (at === 0) continue;
      jumps += Math.abs(place - (found[at - 1] ?? 0));
      pairs++;
    }
  }
  const rows = Math.max(1, endOf(table, places));
  return {
    positions,
    places,
    rows,
    correlation: correlation(positions, places),
    meanJump: pairs === 0 ? 0 : jumps / pairs / rows,
  };
}

/** The place in storage order of a row id, deleted rows counted. */
function placesIn({ fragments, stableRowIds }: TableDescription): (id: bigint) => number {
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

function endOf({ fragments }: TableDescription, places: readonly number[]): number {
  const stored = fragments.reduce((sum, { rows, deleted }) => sum + rows + deleted, 0);
  return places.reduce((most, place) => Math.max(most, place + 1), stored);
}

/** Pearson's; 0 where one of them does not vary. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
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
