/** The look of a report, light and dark. Charts take their colours from the same variables. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --text: #1b1f24; --muted: #5b6570; --grid: #e3e6ea;
  --one: #2563c9; --two: #c2570c; --three: #16803c; --four: #8b3fc7; --five: #b42352; --six: #0f7f8f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --card: #1c2026; --text: #e6e9ed; --muted: #98a2ae; --grid: #2d333b;
    --one: #6ea8ff; --two: #f5934b; --three: #5ccb82; --four: #c295f5; --five: #f27d9d; --six: #5cc6d6;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 28px; }
h1 { font-size: 22px; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 4px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 10px 20px; margin: 0 0 20px; }
dt { color: var(--muted); font-size: 12px; }
dd { margin: 0; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 18px 20px 12px; margin: 0 0 18px; }
section p { color: var(--muted); margin: 0 0 12px; max-width: 90ch; }
.charts { display: flex; flex-wrap: wrap; gap: 20px; }
figure { margin: 0; flex: 1 1 420px; min-width: 0; }
.uplot { font-family: inherit; }
.u-legend { font-size: 13px; text-align: left; color: var(--text); }
.u-legend .u-marker { border-radius: 3px; }
.u-legend th { font-weight: 500; }
.u-select { background: color-mix(in srgb, var(--text) 12%, transparent); }
.u-title { font-size: 13px; font-weight: 600; }
`;
