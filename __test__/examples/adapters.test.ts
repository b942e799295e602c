import { expect, it } from "vitest";
import { runChild } from "../process/support/child.ts";

/** What an example prints, which must end well. */
async function linesOf(name: string): Promise<readonly string[]> {
  const { code, errors, lines } = await runChild(
    new URL(`../../examples/${name}/main.ts`, import.meta.url),
    [],
  );
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return lines;
}

it("the_example_of_tensorflow_trains_stops_and_resumes", async () => {
  const lines = await linesOf("tfjs");
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^stopped in the middle of the epoch, with a state of \d+ bytes$/),
    "resumed, and trained on 3840 other rows of it",
  ]);
  const accuracy = Number(/^accuracy (0\.\d+) /.exec(lines[2] ?? "")?.[1]);
  expect(accuracy).toBeGreaterThan(0.75);
});

it("the_example_of_onnx_tells_digits_by_a_model_that_it_builds", async () => {
  const [model, told] = await linesOf("onnx");
  expect(model).toMatch(/^a model of 31,\d{3} bytes/);
  expect(Number(/^(\d+) of 10000 digits told$/.exec(told ?? "")?.[1])).toBeGreaterThan(8000);
});

it("the_example_of_streams_writes_every_row_once_in_each_epoch", async () => {
  const [first, second] = await linesOf("streams");
  expect(first).toMatch(/^5000 rows in \d+ bytes of JSON lines, shuffled$/);
  const characters = Array.from({ length: 5000 }, (_, id) => `sentence number ${id}`.length);
  expect(second).toBe(
    `${characters.reduce((sum, length) => sum + length)} characters in the same rows, in another order`,
  );
});
