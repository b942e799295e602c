import { node } from "./node.ts";
import { type Tally, tallyOfExit } from "./tally.ts";

/** Knip: files, exports and dependencies that nothing uses. */
export async function deadCode(): Promise<Tally> {
  return tallyOfExit(await node(["node_modules/knip/bin/knip.js", "--no-progress"]));
}

/**
 * publint and Are The Types Wrong over what `npm pack` packs: whether every entry is found, with its types, by Node.js and by bundlers.
 *
 * An ES module that is required is no fault: every supported Node.js does that. Neither is what Node.js 10 doesn't find.
 */
export async function packageShape(): Promise<Tally[]> {
  const attw = ["node_modules/@arethetypeswrong/cli/dist/index.js", "--pack", "."];
  const rules = ["--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm", "--quiet"];
  return [
    tallyOfExit(await node(["node_modules/publint/src/cli.js", "--strict"])),
    tallyOfExit(await node([...attw, ...rules])),
  ];
}
