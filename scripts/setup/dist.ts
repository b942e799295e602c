import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { node } from "../node.ts";
import { Failure } from "../process.mjs";
import { digest, isFresh, remember, root } from "../stamp.ts";

const dist = join(root, "dist");

/** Compiles `src/` to `dist/`, unless it was compiled from the sources as they are. */
export async function ensureDist(): Promise<void> {
  const sources = digest([
    "src",
    "tsconfig.json",
    "tsconfig.build.json",
    "native/index.d.ts",
    "package-lock.json",
  ]);
  if (isFresh("dist", sources) && existsSync(dist)) return;
  rmSync(dist, { recursive: true, force: true });
  const code = await node(["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  if (code !== 0) throw new Failure("the TypeScript does not compile (see above)");
  remember("dist", sources);
}
