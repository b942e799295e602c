const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A count: `1,234,567`. */
export function count(value: number): string {
  return whole.format(value);
}

/** A measured number, to three digits. */
export function number(value: number): string {
  return Math.abs(value) >= 1000 ? whole.format(value) : rounded.format(value);
}

/** Bytes: `12.3 MiB`. */
export function bytes(value: number): string {
  const unit = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${number(value / 1024 ** unit)} ${units[unit]}`;
}

/** A time: `1.23 s`, `4 ms`, `2.5 h`. */
export function seconds(value: number): string {
  if (value < 1e-3) return `${rounded.format(value * 1e6)} µs`;
  if (value < 1) return `${rounded.format(value * 1e3)} ms`;
  if (value < 120) return `${rounded.format(value)} s`;
  if (value < 7200) return `${rounded.format(value / 60)} min`;
  return value < 172_800 ? `${rounded.format(value / 3600)} h` : `${number(value / 86_400)} days`;
}

/** A part of a whole: `12.3%`. */
export function percent(part: number): string {
  return `${rounded.format(part * 100)}%`;
}

/** Names and what they are, the values aligned. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** A table with a line of headings. Columns whose cells are all numbers are aligned to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const numeric = headings.map((_, at) =>
    rows.every((row) => /^(-|none|\d[\d.,]* ?[%a-zA-Zµ]{0,4})$/.test(row[at] ?? "")),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, at) => (numeric[at] ? (cells[at] ?? "").padStart(width) : (cells[at] ?? "").padEnd(width)))
      .join("  ")
      .trimEnd();
  return [line(headings), ...rows.map(line)];
}
