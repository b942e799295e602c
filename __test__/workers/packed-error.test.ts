import { describe, expect, it } from "vitest";
import { LanceLoaderError } from "../../src/index.ts";
import { packError, unpackError } from "../../src/workers/packed-error.ts";

const cross = (thrown: unknown) => unpackError(structuredClone(packError(thrown)));

describe("what was thrown in a worker thread", () => {
  it("crosses_as_an_error_with_its_name_message_stack_code_and_causes", () => {
    const thrown = Object.assign(new RangeError("too far", { cause: new TypeError("inner") }), {
      code: "E_FAR",
    });
    const crossed = cross(thrown) as typeof thrown;
    expect(crossed).toBeInstanceOf(Error);
    const { name, message, stack, code, cause } = crossed;
    expect({ name, message, stack, code }).toEqual({
      name: "RangeError",
      message: "too far",
      stack: thrown.stack,
      code: "E_FAR",
    });
    expect(cause).toMatchObject({ name: "TypeError", message: "inner" });
    expect(String(crossed)).toBe(String(thrown));
  });

  it("crosses_as_an_error_of_this_library_where_it_is_one", () => {
    const crossed = cross(new LanceLoaderError("UNKNOWN_COLUMN", "no such column", { cause: "why" }));
    expect(crossed).toBeInstanceOf(LanceLoaderError);
    expect(crossed).toMatchObject({ code: "UNKNOWN_COLUMN", message: "no such column", cause: "why" });
  });

  it.each([undefined, null, 0, "text", 5n, false])("crosses_as_it_is_where_it_is_%s", (thrown) => {
    expect(cross(thrown)).toBe(thrown);
  });

  it("crosses_as_text_where_nothing_else_can", () => {
    expect(cross(Symbol("s"))).toBe("Symbol(s)");
    expect(cross({ toString: () => "an object" })).toBe("an object");
  });

  it("crosses_with_a_few_causes_where_its_causes_go_round_in_a_circle", () => {
    const thrown = new Error("round");
    thrown.cause = thrown;
    let causes = 0;
    for (let error = cross(thrown) as Error; error.cause !== undefined; error = error.cause as Error)
      causes++;
    expect(causes).toBe(8);
  });
});
