import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkTheCheck } from "../peers/check-control.ts";
import { type Report, saveReport } from "../report/report.ts";
import type { Suite } from "../suite.ts";
import { loader } from "./loader.ts";
import { comparePeers } from "./peers.ts";
import { permutation } from "./permutation.ts";
import { plan } from "./plan.ts";
import { transform } from "./transform.ts";

/** Every part once on small tables: whatever doesn't run or delivers wrong rows fails. Its times mean nothing. */
export const smoke: Suite = {
  options: {
    python: { type: "boolean", default: false, help: "run the Python peers too, which installs them" },
  },
  run: async ({ python }) => {
    checkTheCheck();
    const reports = [
      await loader.run({ rows: "2000", time: "20" }),
      await plan.run({ time: "1" }),
      await permutation.run({ rows: "2000", rounds: "1", ours: python !== true }),
      await transform.run({ rows: "256", rounds: "1" }),
      await comparePeers({ rounds: "1", batch: "256", rows: "2000" }, ({ script }) => {
        return python === true || script.endsWith(".ts");
      }),
    ];
    checkFiles(reports);
    const parts = reports.map(({ markdown }) => markdown).join("\n\n");
    return { name: "smoke", markdown: `${parts}\n\nEverything runs; these times mean nothing.` };
  },
};

/** Writes the reports where nobody keeps them. */
function checkFiles(reports: readonly Report[]): void {
  const folder = mkdtempSync(join(tmpdir(), "lance-loader-bench-"));
  try {
    for (const report of reports) saveReport(folder, report);
    const plots = reports.flatMap((report) => Object.keys(report.plots ?? {}));
    const files = readdirSync(folder);
    if (files.length !== 2 * reports.length + plots.length)
      throw new Error(`Only ${files.join(", ")} were written.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
