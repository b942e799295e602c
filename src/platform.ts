import { readFileSync } from "node:fs";

/** One platform that the addon is built for. */
export interface Target {
  /** The name of the build, as in `lance-loader.<triple>.node` and in the package `lance-loader-<triple>`. */
  readonly triple: string;
  /** `process.platform` of the target. */
  readonly platform: string;
  /** `process.arch` of the target. */
  readonly arch: string;
  /** The C library, on Linux only. */
  readonly libc?: Libc;
}

/** The C library that a Linux process is linked to. */
export type Libc = "glibc" | "musl";

/** What decides the platform: the process and a look at its files, replaceable by tests. */
export interface Host {
  /** `process.platform`. */
  readonly platform: string;
  /** `process.arch`. */
  readonly arch: string;
  /** The process's diagnostic report (`process.report.getReport()`), or `undefined` where the runtime has none. */
  report(): unknown;
  /** The text of a file, or `undefined` when it can't be read. */
  readFile(path: string): string | undefined;
}

/** Every platform with a published build. */
export const targets: readonly Target[] = [
  { triple: "linux-x64-gnu", platform: "linux", arch: "x64", libc: "glibc" },
  { triple: "linux-arm64-gnu", platform: "linux", arch: "arm64", libc: "glibc" },
  { triple: "linux-x64-musl", platform: "linux", arch: "x64", libc: "musl" },
  { triple: "linux-arm64-musl", platform: "linux", arch: "arm64", libc: "musl" },
  { triple: "darwin-arm64", platform: "darwin", arch: "arm64" },
  { triple: "win32-x64-msvc", platform: "win32", arch: "x64" },
  { triple: "win32-arm64-msvc", platform: "win32", arch: "arm64" },
];

/**
 * The C library of a Linux process.
 *
 * The process's own report is asked first, because it tells what *this* process is linked to; `ldd` only tells what the system
 * has. Where neither knows, glibc is assumed: it is by far the more common, and a wrong guess fails to load with both names told.
 */
export function libcOf(host: Host): Libc {
  return libcOfReport(host.report()) ?? libcOfLdd(host.readFile("/usr/bin/ldd")) ?? "glibc";
}

/**
 * The triple of a host: one of {@link targets}, or `<platform>-<arch>[-<libc>]` where there is no published build, so that a
 * build made on such a machine has a name, too.
 */
export function tripleOf(host: Host): string {
  const libc = host.platform === "linux" ? libcOf(host) : undefined;
  const target = targets.find(
    (candidate) =>
      candidate.platform === host.platform && candidate.arch === host.arch && candidate.libc === libc,
  );
  if (target !== undefined) return target.triple;
  const suffix = libc === undefined ? "" : libc === "glibc" ? "-gnu" : "-musl";
  return `${host.platform}-${host.arch}${suffix}`;
}

/** The name of the npm package that carries the build for a triple. */
export function platformPackage(triple: string): string {
  return `lance-loader-${triple}`;
}

/** The file name of the build for a triple. */
export function addonFile(triple: string): string {
  return `lance-loader.${triple}.node`;
}

function libcOfReport(report: unknown): Libc | undefined {
  if (typeof report !== "object" || report === null) return undefined;
  const { header, sharedObjects } = report as { header?: unknown; sharedObjects?: unknown };
  if (typeof header === "object" && header !== null && "glibcVersionRuntime" in header) return "glibc";
  if (!Array.isArray(sharedObjects)) return undefined;
  const names = sharedObjects.map((path) => String(path).replace(/^.*\//, ""));
  if (names.some((name) => /^(ld-musl-|libc\.musl-)/.test(name))) return "musl";
  return names.includes("libc.so.6") ? "glibc" : undefined;
}

function libcOfLdd(ldd: string | undefined): Libc | undefined {
  if (ldd === undefined) return undefined;
  if (/GNU C Library|GNU libc|GLIBC/.test(ldd)) return "glibc";
  return ldd.includes("musl") ? "musl" : undefined;
}

/** The host that this process runs on. */
export const currentHost: Host = {
  platform: process.platform,
  arch: process.arch,
  report() {
    // The network part of a report resolves host names, which may take seconds.
    const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
    if (report === undefined) return undefined;
    const excluded = report.excludeNetwork ?? false;
    report.excludeNetwork = true;
    try {
      return report.getReport();
    } finally {
      report.excludeNetwork = excluded;
    }
  },
  readFile(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
};
