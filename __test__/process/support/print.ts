/** Prints a line for the test that runs this program. */
export function print(line: unknown): void {
  process.stdout.write(`${line}\n`);
}

/** Prints what a program has found out, as JSON. */
export function report(found: unknown): void {
  print(JSON.stringify(found));
}
