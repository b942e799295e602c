/** A value that must be there. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("a value of the test is missing");
  return value;
}
