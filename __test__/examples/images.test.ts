import { expect, it } from "vitest";
import { runChild } from "../process/support/child.ts";

it("the_example_of_images_decodes_all_but_the_damaged_one_in_worker_threads", async () => {
  const example = new URL("../../examples/images/main.ts", import.meta.url);
  const { code, errors, lines } = await runChild(example, []);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(lines).toEqual([
    expect.stringMatching(/^decoded 119 images of 56 × 56 pixels/),
    expect.stringMatching(/^mean brightness 0\.1\d\d, 1 bad image skipped$/),
  ]);
});
