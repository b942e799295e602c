import { join } from "node:path";
import { runPython, VirtualEnvironment } from "../support/virtual-environment.ts";

const here = import.meta.dirname;
const environment = new VirtualEnvironment("interop", join(here, "requirements.txt"));

/** Makes the virtual environment of `requirements.txt`, once, and again when that file has changed. */
export function ensurePython(): void {
  environment.ensure();
}

/** Asks Python LanceDB: named requests to `peer.py`, all in one process, and their answers. */
export function askPython(
  database: string,
  requests: Readonly<Record<string, object>>,
): Record<string, unknown> {
  const program = environment.program("python");
  return JSON.parse(runPython(program, [join(here, "peer.py")], JSON.stringify({ database, requests })));
}
