/** A table in Markdown; columns after the first are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map(line).join("\n");
}

/** A number with separators of thousands and at least three significant digits: `1,234,568`, `12.3`, `0.0123`. */
export function format(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value === 0 ? "0" : Number(value.toPrecision(3)).toString();
}

/** Bytes as MiB. */
export function mebibytes(bytes: number): string {
  return format(bytes / 2 ** 20);
}
