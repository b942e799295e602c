import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { Failure, run, say } from "../process.mjs";
import { root } from "../stamp.ts";

// Where rustup has just been installed, the shell may not know its folder yet.
process.env["PATH"] = `${process.env["PATH"]}${delimiter}${join(homedir(), ".cargo", "bin")}`;

/** Makes sure of what the Rust build needs: Rust itself, a C compiler, and `protoc`, which is installed where that is possible. */
export async function ensureTools(): Promise<void> {
  ensureRust();
  ensureCompiler();
  await ensureProtoc();
}

/** The version of the Rust compiler, as `rustc 1.95.0 (…)`. */
export function rustVersion(): string | undefined {
  return answerOf("rustc", ["--version"]);
}

/** What a program prints, or `undefined` where it is missing or fails. */
export function answerOf(command: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** Whether a Rust version, as `rustc --version` tells it, is at least `major.minor`. */
export function isRustAtLeast(told: string, wanted: string): boolean {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(told)?.map(Number) ?? [];
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function ensureRust(): void {
  const wanted = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))?.[1] ?? "1";
  const found = rustVersion();
  if (found === undefined) {
    throw new Failure(
      `Rust is missing. Install Rust ${wanted} or newer from https://rustup.rs, then run the command again.`,
    );
  }
  if (!isRustAtLeast(found, wanted)) {
    throw new Failure(`${found} is too old: ${wanted} or newer is needed. Run \`rustup update stable\`.`);
  }
}

function ensureCompiler(): void {
  if (process.platform === "win32" || answerOf("cc", ["--version"]) !== undefined) return;
  throw new Failure(
    "A C compiler (cc) is missing. Install one: `apt-get install build-essential`, `dnf install gcc gcc-c++`, " +
      "`apk add build-base`, or `xcode-select --install`.",
  );
}

async function ensureProtoc(): Promise<void> {
  const protoc = process.env["PROTOC"] ?? "protoc";
  if (answerOf(protoc, ["--version"]) !== undefined) return;
  if (process.env["PROTOC"] === undefined && (await installProtoc())) return;
  throw new Failure(
    "protoc is missing. Install it: `apt-get install protobuf-compiler libprotobuf-dev`, `dnf install protobuf-compiler " +
      "protobuf-devel`, `apk add protoc protobuf-dev`, `brew install protobuf`, or `winget install Google.Protobuf`; " +
      "or point PROTOC at it.",
  );
}

/** Installs protoc with apt-get where that needs no password. The second package has the well-known types that it imports. */
async function installProtoc(): Promise<boolean> {
  if (answerOf("apt-get", ["--version"]) === undefined) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && answerOf("sudo", ["-n", "true"]) === undefined) return false;
  say("installing protoc (apt-get install protobuf-compiler)");
  const aptGet = (...args: string[]) => {
    const command = [
      ...(isRoot ? [] : ["sudo", "-n"]),
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "-qq",
      ...args,
    ];
    return run("env", command, { onOutput: () => {} });
  };
  const install = ["install", "-y", "--no-install-recommends", "protobuf-compiler", "libprotobuf-dev"];
  if ((await aptGet(...install)) !== 0) {
    await aptGet("update");
    await aptGet(...install);
  }
  return answerOf("protoc", ["--version"]) !== undefined;
}
