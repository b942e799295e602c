import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

/** Where browsers that playwright-core can drive are found. */
const places: readonly string[] = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * A headless browser: the one of `CHROMIUM`, one that is installed, or where this process may install Debian packages, Debian's.
 *
 * @throws with one line that says how to get one.
 */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? places.find(existsSync) ?? install();
  // Root has no sandbox; the pages are our own, and load nothing.
  return await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

function install(): string {
  const [debian = ""] = places;
  try {
    execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], {
      stdio: "ignore",
    });
  } catch (cause) {
    const way = "run `apt-get install chromium`, install Chrome, or set CHROMIUM to the path of one";
    throw new Error(`There is no browser to look at reports with: ${way}.`, { cause });
  }
  return debian;
}
