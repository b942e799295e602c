import type { LoaderCase } from "./case.ts";

const memory = { fetch: "memory", shuffleSeed: 1 } as const;
const take = { fetch: "take", shuffleSeed: 1 } as const;

const batches: readonly LoaderCase[] = [1, 16, 64, 256, 1024, 4096].map((batchSize) => {
  return { name: `memory, batches of ${batchSize}`, options: memory, batchSize };
});

const takes: readonly LoaderCase[] = [256, 4096].map((batchSize) => {
  return { name: `take, batches of ${batchSize}`, options: take, batchSize };
});

const forms: readonly LoaderCase[] = [
  {
    name: "memory, batches of 256, tensor() of each column",
    options: memory,
    batchSize: 256,
    step: async (stream) => {
      const batch = await stream.next();
      return batch.columnNames.map((name) => batch.tensor(name));
    },
  },
  {
    name: "memory, batches of 256, toArrow()",
    options: memory,
    batchSize: 256,
    step: async (stream) => (await stream.next()).toArrow(),
  },
  {
    name: "memory, batches of 256, rows()",
    options: memory,
    batchSize: 256,
    step: async (stream) => (await stream.next()).rows(),
  },
];

const splits: readonly LoaderCase[] = [1, 1024].flatMap((numSplits): LoaderCase[] => {
  const options = { ...memory, columns: ["id"], numSplits, remainder: "keep" } as const;
  const unit = numSplits === 1 ? "1 split" : `${numSplits} splits`;
  return [
    { name: `memory, ids only, batches of 4096, ${unit}`, options, batchSize: 4096 },
    { name: `stateDict(), ${unit}`, options, step: ({ dataset }) => dataset.stateDict() },
    { name: `setEpoch(), ${unit}`, options, step: ({ dataset }) => dataset.setEpoch(dataset.epoch + 1) },
  ];
});

/** Every case of the suite `loader`. */
export const loaderCases: readonly LoaderCase[] = [...batches, ...takes, ...forms, ...splits];
