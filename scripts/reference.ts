import { join } from "node:path";
import { node } from "./node.ts";
import { ensurePackages } from "./packages.ts";
import { type Tally, tallyOfExit } from "./tally.ts";

/** TypeDoc: the API reference from the comments, into `.data/reference/`. A warning fails it. */
export async function reference(): Promise<Tally> {
  const typedoc = join(await ensurePackages("scripts/docs"), "typedoc", "bin", "typedoc");
  return tallyOfExit(await node([typedoc, "--options", "typedoc.json"]));
}
