export type { ArrowTable } from "./arrow/accept/accept.ts";
export { Batch } from "./arrow/batch.ts";
export type { Dtype, DtypeArrays, NumericArray } from "./arrow/dtype.ts";
export type { IntervalValue, Row, RowValue } from "./arrow/row-value.ts";
export type { Tensor } from "./arrow/tensor.ts";
export { type ErrorCode, errorCodes, LanceLoaderError } from "./errors.ts";
export { PermutationBuilder, permutationBuilder } from "./permutation/builder.ts";
export type {
  BootstrapOptions,
  NamedSplits,
  ShuffleOptions,
  SplitCalculatedOptions,
  SplitHashOptions,
  SplitRandomOptions,
  SplitSequentialOptions,
  SplitSizes,
} from "./permutation/configuration.ts";
export type { DatabaseSource, LanceDbConnection } from "./permutation/database.ts";
export type { Columns, Format, Formats } from "./permutation/format.ts";
export { type IterOptions, Permutation, type PermutationTransform } from "./permutation/permutation.ts";
export { type PermutationSource, PermutationTable } from "./permutation/permutation-table.ts";
export { Permutations } from "./permutation/permutations.ts";
export type { BuildOptions } from "./permutation/work.ts";
export { type BatchesOptions, type CollatedBatchesOptions, StreamingDataset } from "./streaming/dataset.ts";
export type { BatchMessage, SkipMessage, WindowMessage } from "./streaming/diagnostics.ts";
export type { EpochStream } from "./streaming/epoch-iterator.ts";
export type { GroupByLength, LengthGroupsState } from "./streaming/lengths/options.ts";
export {
  type PaddedBatch,
  type PaddedColumn,
  type PadOptions,
  type PadTo,
  padBatch,
} from "./streaming/lengths/pad.ts";
export { StreamingDataLoader, type StreamingDataLoaderOptions } from "./streaming/loader.ts";
export { type MixOptions, type MixtureStop, mix } from "./streaming/mixture/mix.ts";
export type { MixedDatasetProgress, Mixture } from "./streaming/mixture/mixture.ts";
export type { MixtureBase, MixtureState } from "./streaming/mixture/state.ts";
export type { MixturePart } from "./streaming/mixture/weights.ts";
export type { FetchMode, StreamingDatasetOptions, WorkerInfo } from "./streaming/options.ts";
export type { PackingOptions } from "./streaming/packing/options.ts";
export type { PackingMode, PackingState } from "./streaming/packing/state.ts";
export { SampleOrder, type SampleOrderOptions } from "./streaming/sample-order.ts";
export type { SkipSteps } from "./streaming/skip-steps.ts";
export type { Collate } from "./streaming/stages.ts";
export type { StateDict } from "./streaming/state.ts";
export type {
  FetchStatistics,
  PackingStatistics,
  StreamingStatistics,
} from "./streaming/statistics.ts";
export type { StepOptions, StepPlan } from "./streaming/step-plan.ts";
export type { SyncEpochEnd } from "./streaming/transform/epoch-end.ts";
export type { OnTransformError } from "./streaming/transform/error-policy.ts";
export type { TransformOptions } from "./streaming/transform/options.ts";
export type {
  ArrayTransform,
  OutputColumn,
  OutputColumns,
  Transform,
  TransformContext,
  TransformOutput,
} from "./streaming/transform/transform.ts";

export {
  type DescribeOptions,
  describeTable,
  type FragmentDescription,
  type TableDescription,
} from "./tables/describe.ts";
export type { RemoteOptions } from "./tables/remote/source.ts";
export type { LanceDbTable, RemoteTableSource, TableLocation, TableSource } from "./tables/source.ts";
export {
  type DetectedTopology,
  type DetectTopologyOptions,
  detectTopology,
  type Launcher,
  type Topology,
} from "./topology.ts";
