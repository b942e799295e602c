import { checkChoice, checkInteger, checkOptions, show } from "./check.ts";
import { LanceLoaderError } from "./errors.ts";

/** What starts the processes of a training job. */
export type Launcher = "torchrun" | "openmpi" | "mpich" | "slurm" | "kubernetes";

/** Which process this is, out of how many. Spread it into the options of `StreamingDataset.open`. */
export interface Topology {
  /** This process, from 0. */
  readonly rank: number;
  /** How many processes there are. */
  readonly worldSize: number;
}

/** A {@link Topology} and how it is known. */
export interface DetectedTopology extends Topology {
  /** Who started this process; `null` where no launcher left a trace, which makes it the only one. */
  readonly launcher: Launcher | null;
  /** The variables that say so. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Options of {@link detectTopology}. */
export interface DetectTopologyOptions {
  /** The launcher to believe, where several are at work inside each other, as `srun torchrun` is. By default all that left a trace must agree. */
  readonly launcher?: Launcher;
  /** The number of processes, for a launcher that tells only the rank: a Kubernetes indexed Job. By default the variable `WORLD_SIZE`. */
  readonly worldSize?: number;
  /** The variables to look at. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface LauncherVariables {
  readonly rank: string;
  /** The variable with the number of processes; of several the first one that is set. */
  readonly worldSize: readonly string[];
  /** A variable without which the others mean something else. */
  readonly sign?: string;
}

/** The innermost launchers first: the one that is asked last starts the others. */
const launchers: Readonly<Record<Launcher, LauncherVariables>> = {
  torchrun: { rank: "RANK", worldSize: ["WORLD_SIZE"] },
  openmpi: { rank: "OMPI_COMM_WORLD_RANK", worldSize: ["OMPI_COMM_WORLD_SIZE"] },
  mpich: { rank: "PMI_RANK", worldSize: ["PMI_SIZE"] },
  // A batch script has the rank 0 of all tasks, too, though only srun starts tasks: those have a step.
  slurm: {
    rank: "SLURM_PROCID",
    worldSize: ["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
    sign: "SLURM_STEP_ID",
  },
  kubernetes: { rank: "JOB_COMPLETION_INDEX", worldSize: ["WORLD_SIZE"] },
};

const launcherNames = Object.keys(launchers) as Launcher[];

/**
 * Rank and world size from the variables that torchrun, Open MPI, MPICH (and others with its PMI), SLURM's `srun` and Kubernetes indexed Jobs set.
 *
 * The only function of this library that reads the environment, and it is never called by itself.
 *
 * @example
 * ```ts
 * const { rank, worldSize } = detectTopology();
 * const dataset = await StreamingDataset.open("s3://bucket/train.lance", { rank, worldSize, numSplits: 64 });
 * ```
 * @throws {@link LanceLoaderError} `INVALID_ARGUMENT`; `TOPOLOGY_UNCLEAR` where launchers disagree, or a variable is missing or no rank or size.
 */
export function detectTopology(options: DetectTopologyOptions = {}): DetectedTopology {
  checkOptions("options", options, ["launcher", "worldSize", "env"]);
  const { env = process.env } = options;
  if (options.worldSize !== undefined) checkInteger("worldSize", options.worldSize, 1);
  const asked =
    options.launcher === undefined
      ? launcherNames.filter((name) => leftTrace(name, env))
      : [checkChoice("launcher", options.launcher, launcherNames)];
  const found = asked.map((name) => read(name, env, options.worldSize));
  const [first, ...others] = found;
  if (first === undefined) return { rank: 0, worldSize: 1, launcher: null, variables: {} };
  for (const other of others) checkAgreement(first, other);
  return first;
}

function leftTrace(name: Launcher, env: NonNullable<DetectTopologyOptions["env"]>): boolean {
  const { rank, sign } = launchers[name];
  return Boolean(env[rank]) && (sign === undefined || Boolean(env[sign]));
}

function read(
  name: Launcher,
  env: NonNullable<DetectTopologyOptions["env"]>,
  given: number | undefined,
): DetectedTopology {
  const { rank: rankName, worldSize: sizeNames } = launchers[name];
  const sizeName = sizeNames.find((variable) => env[variable]) ?? sizeNames[0] ?? "";
  const knowsSize = given === undefined;
  const worldSize = given ?? count(name, sizeName, env[sizeName], 1);
  const rank = count(name, rankName, env[rankName], 0);
  if (rank >= worldSize)
    throw unclear(`${rankName} is ${rank}, but there are ${worldSize} processes: it must be below that.`);
  const variables = { [rankName]: `${rank}`, ...(knowsSize && { [sizeName]: `${worldSize}` }) };
  return { rank, worldSize, launcher: name, variables };
}

function count(launcher: Launcher, variable: string, text: string | undefined, min: number): number {
  const value = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value >= min) return value;
  const way =
    launcher === "kubernetes" && variable === "WORLD_SIZE"
      ? " Set it to the Job's completions in its manifest, or give worldSize"
      : " Give rank and worldSize to the dataset yourself";
  throw unclear(
    `${variable} is ${text === undefined ? "not set" : show(text)}, though this process seems to be started by ${launcher}: it must be a whole number of at least ${min}.${way}.`,
  );
}

function checkAgreement(first: DetectedTopology, other: DetectedTopology): void {
  if (first.rank === other.rank && first.worldSize === other.worldSize) return;
  const told = [first, other].map(
    ({ launcher, rank, worldSize }) => `${launcher} says rank ${rank} of ${worldSize}`,
  );
  throw unclear(
    `Launchers disagree: ${told.join(", ")}. Say which one counts: detectTopology({ launcher: ${show(first.launcher)} }).`,
  );
}

function unclear(message: string): LanceLoaderError {
  return new LanceLoaderError("TOPOLOGY_UNCLEAR", message);
}
