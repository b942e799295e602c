import type { StoredWorkload } from "../workloads/workload.ts";
import type { Contestant } from "./contestant.ts";

const tenth = ({ bytes }: StoredWorkload) => Math.ceil(bytes / 10);

const ours: readonly Contestant[] = [
  { name: "ours", title: '**lance-loader**, `fetch: "auto"`', kind: "ours", script: "lance-loader.ts" },
  {
    name: "ours-later",
    title: '**lance-loader**, `fetch: "memory"`, later epochs',
    kind: "ours",
    script: "lance-loader.ts",
    options: () => ({ fetch: "memory" }),
    part: "later",
  },
  {
    name: "ours-scratch",
    title: '**lance-loader**, `fetch: "scratch"`, budget of a tenth',
    kind: "ours",
    script: "lance-loader.ts",
    options: (workload) => ({ fetch: "scratch", memoryBudget: tenth(workload) }),
  },
  {
    name: "ours-auto-tenth",
    title: '**lance-loader**, `fetch: "auto"`, budget of a tenth',
    kind: "ours",
    script: "lance-loader.ts",
    options: (workload) => ({ memoryBudget: tenth(workload) }),
  },
  {
    name: "ours-take",
    title: '**lance-loader**, `fetch: "take"`, budget of a tenth',
    kind: "ours",
    script: "lance-loader.ts",
    options: (workload) => ({ fetch: "take", memoryBudget: tenth(workload) }),
  },
  {
    name: "ours-sequential",
    title: "**lance-loader**, `shuffle: false`, budget of a tenth",
    kind: "ours",
    script: "lance-loader.ts",
    options: (workload) => ({ shuffle: false, memoryBudget: tenth(workload) }),
  },
];

const peers: readonly Contestant[] = [
  {
    name: "lancedb-streaming",
    title: "Python LanceDB `StreamingDataset`, best settings",
    kind: "peer",
    script: "lancedb_streaming.py",
    decoded: true,
    options: () => ({ num_splits: 1, read_batch_size: 16384, io_queue_depth: 2, keep_arrays: true }),
  },
  {
    name: "lancedb-streaming-defaults",
    title: "Python LanceDB `StreamingDataset`, 8 splits, otherwise defaults",
    kind: "peer",
    script: "lancedb_streaming.py",
    decoded: true,
    options: () => ({ num_splits: 8 }),
  },
  {
    name: "lancedb-permutation",
    title: "Python LanceDB `Permutation`, reads of 16,384",
    kind: "peer",
    script: "lancedb_permutation.py",
    options: () => ({ read_rows: 16384 }),
  },
  {
    name: "lancedb-node",
    title: "Node `@lancedb/lancedb`, `takeRowIds` of 4,096, read ahead",
    kind: "peer",
    script: "lancedb-node.ts",
  },
  {
    name: "pylance-take",
    title: "pylance `take`, windows of 16,384",
    kind: "peer",
    script: "pylance_take.py",
    options: () => ({ window_rows: 16384 }),
  },
  {
    name: "huggingface",
    title: "Hugging Face datasets, Arrow memory map, index shuffle",
    kind: "peer",
    script: "huggingface.py",
    options: () => ({ format: "arrow" }),
  },
];

const limits: readonly Contestant[] = [
  {
    name: "lance-scan",
    title: "bare Lance scan (pylance), not shuffled",
    kind: "limit",
    script: "lance_scan.py",
  },
  {
    name: "lance-scan-rest",
    title: "bare Lance scan after its first batch, not shuffled",
    kind: "limit",
    script: "lance_scan.py",
    part: "rest",
  },
  {
    name: "numpy",
    title: "numpy gather, rows in memory",
    kind: "limit",
    script: "numpy_gather.py",
    workloads: ["W1", "W2"],
  },
  { name: "pyarrow", title: "pyarrow `take`, rows in memory", kind: "limit", script: "pyarrow_take.py" },
  {
    name: "memcpy",
    title: "`memcpy` batch by batch, rows in memory, not shuffled",
    kind: "limit",
    script: "memcpy.py",
  },
];

/** Those that can deliver text in both forms; the others have one. */
const bothForms = [
  "ours",
  "ours-later",
  "ours-take",
  "ours-scratch",
  "lancedb-permutation",
  "lancedb-node",
  "pylance-take",
  "huggingface",
  "pyarrow",
];

const decoded = [...ours, ...peers, ...limits]
  .filter(({ name }) => bothForms.includes(name))
  .map((contestant): Contestant => {
    const { name, title } = contestant;
    return {
      ...contestant,
      name: `${name}-decoded`,
      title: `${title}, decoded`,
      workloads: ["W3"],
      decoded: true,
    };
  });

/** numpy has no text but Python's strings. */
const numpyText: Contestant = {
  name: "numpy-decoded",
  title: "numpy gather of Python strings, rows in memory, decoded",
  kind: "limit",
  script: "numpy_gather.py",
  workloads: ["W3"],
  decoded: true,
};

/** Everything that is measured, in the order of the table. */
export const contestants: readonly Contestant[] = [...ours, ...peers, ...limits, ...decoded, numpyText];
