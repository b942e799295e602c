/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The text at its end. */
  readonly text: string;
  /** Whether it stands out. */
  readonly strong?: boolean;
}

const barHeight = 18;
const rowHeight = 26;
const labelWidth = 500;
const barWidth = 340;
const textWidth = 100;
const top = 44;

/** Bars from the left, longest value full width, as an SVG that is readable on light and on dark pages. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const longest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const width = labelWidth + barWidth + textWidth;
  const height = top + bars.length * rowHeight;
  const rows = bars.map((bar, row) => drawBar(bar, top + row * rowHeight, (bar.value / longest) * barWidth));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="26" font-size="15" font-weight="bold">${escapeXml(title)}</text>`,
    ...rows,
    "</svg>",
  ].join("\n");
}

function drawBar({ label, text, strong = false }: Bar, y: number, length: number): string {
  const middle = y + barHeight / 2 + 4.5;
  const weight = strong ? ' font-weight="bold"' : "";
  return [
    `<text x="${labelWidth - 8}" y="${middle}" text-anchor="end"${weight}>${escapeXml(label)}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${strong ? "#2563eb" : "#94a3b8"}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${middle}"${weight}>${escapeXml(text)}</text>`,
  ].join("");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
