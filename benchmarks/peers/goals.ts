import { type Line, medianOf } from "./line.ts";

/** A ratio that this library aims at, as it came out. */
export interface Goal {
  readonly workload: string;
  readonly what: string;
  readonly wanted: string;
  readonly found: number;
  readonly met: boolean;
}

/** The ratios that can be read off the lines of one workload; those whose lines were not measured are left out. */
export function goalsOf(lines: readonly Line[]): Goal[] {
  const [first] = lines;
  if (first === undefined) return [];
  const fixedWidth = first.workload === "W1";
  const gather = fixedWidth ? "numpy" : "pyarrow";
  // Their settings deliver text as Python's strings only.
  const strings = lines.some(({ contestant }) => contestant === "ours-decoded") ? "-decoded" : "";
  const fastest = fullShuffles(lines).toSorted((a, b) => rate(b) - rate(a))[0]?.contestant ?? "";
  const goals = [
    atLeast(0.8, "ours-later", gather),
    atLeast(3, "ours-later", fastest),
    atLeast(0.7, "ours", "lance-scan"),
    atLeast(0.9, "ours-sequential", "lance-scan"),
    atLeast(0.6, "ours-scratch", "lance-scan"),
    ...(first.workload === "W2" ? [] : [atLeast(3, `ours-scratch${strings}`, "lancedb-streaming")]),
    atLeast(1.5, `ours-take${strings}`, "lancedb-streaming"),
    atLeast(1, "ours-take", "pylance-take"),
    atMost(0.5, "ours", earliestReaderOfLance(lines)),
  ];
  return goals.flatMap((goal) => goal(lines) ?? []);
}

type MakeGoal = (lines: readonly Line[]) => Goal | undefined;

function atLeast(wanted: number, ours: string, other: string): MakeGoal {
  return (lines) => {
    const found = ratio(lines, ours, other, rate);
    if (found === undefined) return undefined;
    const what = `rows/s of ${ours} over ${other}`;
    return { workload: lines[0]?.workload ?? "", what, wanted: `≥ ${wanted}`, found, met: found >= wanted };
  };
}

function atMost(wanted: number, ours: string, other: string): MakeGoal {
  return (lines) => {
    const found = ratio(lines, ours, other, firstBatch);
    if (found === undefined) return undefined;
    const what = `seconds to the first batch of ${ours} over ${other}`;
    return { workload: lines[0]?.workload ?? "", what, wanted: `≤ ${wanted}`, found, met: found <= wanted };
  };
}

function ratio(
  lines: readonly Line[],
  ours: string,
  other: string,
  value: (line: Line) => number,
): number | undefined {
  const one = lines.find(({ contestant }) => contestant === ours);
  const two = lines.find(({ contestant }) => contestant === other);
  return one && two && value(one) / value(two);
}

function fullShuffles(lines: readonly Line[]): Line[] {
  return lines.filter((line) => line.kind === "peer" && medianOf(line, "mix") >= 0.99);
}

function earliestReaderOfLance(lines: readonly Line[]): string {
  const readers = fullShuffles(lines).filter(({ contestant }) => !contestant.startsWith("huggingface"));
  return readers.toSorted((a, b) => firstBatch(a) - firstBatch(b))[0]?.contestant ?? "";
}

const rate = (line: Line) => medianOf(line, "rowsPerSecond");
const firstBatch = (line: Line) => medianOf(line, "firstBatchSeconds");
