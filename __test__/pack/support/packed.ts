import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stage } from "../../../scripts/stage.ts";
import { root } from "../../support/snippets.ts";

/** The tarballs of the main package and of this platform's, in a folder of their own. */
export interface Packed extends Disposable {
  readonly main: string;
  readonly platform: string;
  /** What each packed, by path. */
  readonly files: { readonly main: readonly string[]; readonly platform: readonly string[] };
}

/** Packs what a release would publish, with the addon of this checkout. */
export async function pack(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), "lance-loader-packed-"));
  const { main, platforms } = await stage(join(folder, "staged"), join(root, "native"));
  const packed = [main, ...Object.values(platforms)].map((from) => {
    const [{ filename, files }] = JSON.parse(npm(from, "pack", "--json", "--pack-destination", folder));
    const paths = files.map(({ path }: { path: string }) => path);
    return { tarball: join(folder, filename), paths: paths as string[] };
  });
  const [first, second] = packed;
  if (first === undefined || second === undefined) throw new Error("there is no package for this platform");
  return {
    main: first.tarball,
    platform: second.tarball,
    files: { main: first.paths, platform: second.paths },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs npm in a folder, and gives what it prints. */
export function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
}
