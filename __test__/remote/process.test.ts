import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runChild } from "../process/support/child.ts";
import { known } from "../support/known.ts";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { key, StubServer } from "./support/stub-server.ts";

const program = new URL("./children/read.ts", import.meta.url);
const folder = tempFolder();
let stub: StubServer | undefined;

beforeAll(async () => {
  await writeIds(folder, "ids", 500);
  stub = await StubServer.start(folder, "ids");
});
afterAll(() => stub?.close());

test.each([
  ["reads all of it", 0, "500"],
  ["leaves in the middle", 0, "16"],
  ["only opens it", 0, "500"],
  ["exits in the middle", 3, "exits"],
])("a process that %s ends by itself", async (ending, code, line) => {
  const ended = await runChild(program, [known(stub).url, key, ending]);
  expect(ended).toMatchObject({ code, lines: [line], errors: "" });
});

test("threads that read a remote table come and go, in the middle of a read, too", async () => {
  for (const ending of ["reads all of it", "exits in the middle", "leaves in the middle", "only opens it"]) {
    const worker = new Worker(program, { argv: [known(stub).url, key, ending], stdout: true });
    const [code] = await once(worker, "exit");
    expect([ending, code]).toEqual([ending, ending === "exits in the middle" ? 3 : 0]);
  }
});

test.each([
  ["closes them", 1],
  ["keeps them", 11],
])("a process that opens many datasets and %s holds as many handles as it must", async (ending, handles) => {
  const letGo = new URL("./children/let-go.ts", import.meta.url);
  const flags = ["--expose-gc", "--disable-warning=ExperimentalWarning"];
  const ended = await runChild(letGo, [known(stub).url, key, ending], { flags });
  expect(ended).toMatchObject({ code: 0, lines: [String(handles)], errors: "" });
});
