import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeIds } from "../support/tables.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type Ended, runChild } from "./support/child.ts";
import { randomNumbers } from "./support/random.ts";

const program = new URL("./children/train.ts", import.meta.url);
const rows = 1920;
const folder = tempFolder();
let table = "";

beforeAll(async () => {
  table = await writeIds(folder, "ids", rows, { fragments: 3 });
});

describe("a training that is killed and started again", () => {
  it("trains_on_the_rows_of_an_uninterrupted_run_when_it_is_killed_ten_times", async () => {
    const uninterrupted = await train("uninterrupted", "after-training", 0);
    expect(uninterrupted).toHaveLength(4 * rows);
    expect(new Set(uninterrupted.slice(0, rows)).size).toBe(rows);
    expect(await train("killed", "after-training", 10)).toEqual(uninterrupted);
  });

  it("would_lose_rows_if_it_saved_a_batch_before_training_on_it", async () => {
    const trained = await train("too-early", "before-training", 3);
    expect(new Set(trained.slice(0, rows)).size).toBeLessThan(rows);
  });
});

/** Runs a training that is killed `kills` times, at random moments, and then goes on to its end: the rows that it trained on. */
async function train(
  name: string,
  when: "after-training" | "before-training",
  kills: number,
): Promise<number[]> {
  const checkpoint = join(folder, `${name}.json`);
  const random = randomNumbers(kills);
  for (let kill = 0; kill < kills; kill++) {
    const ended = await killAfter(4 + Math.floor(random() * 26), random() * 4, [table, checkpoint, when]);
    expect(ended).toMatchObject({ signal: "SIGKILL", errors: "" });
  }
  expect(await runChild(program, [table, checkpoint, when])).toMatchObject({ code: 0, errors: "" });
  return JSON.parse(readFileSync(checkpoint, "utf8")).trained;
}

/** Runs the training and kills it some milliseconds after a step. */
function killAfter(step: number, milliseconds: number, args: readonly string[]): Promise<Ended> {
  return runChild(program, args, {
    onLine(line, child) {
      if (line === `step ${step}`) setTimeout(() => child.kill("SIGKILL"), milliseconds);
    },
  });
}
