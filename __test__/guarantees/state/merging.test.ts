import { beforeAll, describe, expect, test } from "vitest";
import { type StateDict, StreamingDataset } from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { known } from "../../support/known.ts";
import { writeIds } from "../../support/tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { World } from "../../support/world.ts";

const { mergeStateDicts } = StreamingDataset;
const folder = tempFolder();
let states: StateDict[];

beforeAll(async () => {
  const path = await writeIds(folder, "ids", 48);
  await using world = await World.open(path, 4, { numSplits: 8, shuffleSeed: 2 });
  await world.read(3, (rank) => rank);
  states = world.states();
});

describe("the states of all ranks, merged", () => {
  test("tell the progress of each split that its own rank knows", () => {
    const merged = mergeStateDicts(states);
    expect(merged.samples_consumed_per_split).toEqual([0, 0, 2, 1, 3, 3, 5, 4]);
    expect(merged.positions_consumed_per_split).toEqual(merged.samples_consumed_per_split);
    expect(merged.owned_splits).toBeUndefined();
  });

  test("are the same in any order, merged twice, and with one state twice", () => {
    const merged = mergeStateDicts(states);
    expect(mergeStateDicts(states.toReversed())).toEqual(merged);
    expect(mergeStateDicts([merged, merged])).toEqual(merged);
    expect(mergeStateDicts([...states, ...states])).toEqual(merged);
  });

  test("keep the fields of the run", () => {
    const { owned_splits, samples_consumed_per_split, positions_consumed_per_split, ...run } = known(
      states[0],
    );
    expect(mergeStateDicts(states)).toMatchObject(run);
  });
});

describe("a merge is refused", () => {
  test.each([[[]], [undefined], [null], [{}], ["states"]])("of %o", async (value) => {
    await failure(() => mergeStateDicts(value as never), "STATE_INVALID", "states");
  });

  test("of what is no state", async () => {
    await failure(() => mergeStateDicts([null as never]), "STATE_INVALID");
    await failure(
      () => mergeStateDicts([{ ...states[0], epoch: -1 } as StateDict]),
      "STATE_INVALID",
      "epoch",
      "-1",
    );
  });

  const others: [field: keyof StateDict, value: unknown, ours: string][] = [
    ["order_version", 2, "1"],
    ["shuffle_seed", 3, "2"],
    ["epoch", 1, "0"],
    ["shuffle", false, "true"],
    ["shuffle_clump_size", 5, "1"],
    ["remainder", "keep", '"drop"'],
    ["filter", "id > 1", "null"],
    ["table_identity", "0123", '"'],
    ["table_version", 2, "1"],
    ["table_branch", "trial", "null"],
  ];
  test.each(others)("of different runs: %s is %o", async (field, value, ours) => {
    const [first, ...rest] = states;
    const other = { ...first, [field]: value } as StateDict;
    await failure(() => mergeStateDicts([...rest, other]), "STATE_MISMATCH", field, String(value), ours);
  });

  test("of different numbers of splits", async () => {
    const { positions_consumed_per_split: _, ...first } = known(states[0]);
    const other: StateDict = { ...first, num_splits: 2, samples_consumed_per_split: 0, owned_splits: [0, 2] };
    await failure(() => mergeStateDicts([...states, other]), "STATE_MISMATCH", "num_splits", "8", "2");
  });

  test("where a rank with uneven progress is missing", async () => {
    for (const missing of states.keys()) {
      const others = states.filter((_, rank) => rank !== missing);
      await failure(() => mergeStateDicts(others), "STATE_MISMATCH", `split ${2 * missing}`, "all ranks");
    }
  });
});

test("at a global step one rank's state stands for all", async () => {
  const path = await writeIds(folder, "even", 48);
  await using world = await World.open(path, 4, { numSplits: 8 });
  await world.read(4, () => 2);
  const [first, ...others] = world.states();
  const alone = mergeStateDicts([known(first)]);
  expect(alone).toEqual(mergeStateDicts(others));
  expect(alone.samples_consumed_per_split).toEqual([4, 4, 4, 4, 4, 4, 4, 4]);
});

test("a field that a state lacks is not compared, and taken from the others", () => {
  const [first, second, ...rest] = states.map(known) as [StateDict, StateDict, ...StateDict[]];
  const { table_identity: _, filter: __, ...foreign } = first;
  const merged = mergeStateDicts([foreign, second, ...rest]);
  expect(merged).toEqual(mergeStateDicts(states));
});
