/**
 * Chromium for the tests of pages. Without one (Debian: apt install chromium-headless-shell; CHROMIUM= names another) they
 * are reported as skipped; with PTXLAB_CHROMIUM=required a missing one fails.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const found = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((dir) => names.map((n) => join(dir, n)))
  .find((f) => existsSync(f));
const executablePath = process.env.CHROMIUM ?? found;

export const describeBrowser = (name: string, body: () => void): void => {
  if (executablePath !== undefined || process.env.PTXLAB_CHROMIUM === "required") describe(name, body);
  else describe.skip(name, body);
};

export function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error("no Chromium: apt install chromium-headless-shell");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A page that is open, and all that it asked for or complained of. */
export interface Opened {
  readonly page: Page;
  readonly complaints: string[];
}

/** Opens a file with the network off. */
export async function open(browser: Browser, file: string): Promise<Opened> {
  const context = await browser.newContext({
    offline: true,
    viewport: { width: 1600, height: 900 },
    colorScheme: "light",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (m) => complaints.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => complaints.push(`error: ${e.message}`));
  page.on("request", (r) => {
    if (r.url() !== `file://${file}`) complaints.push(`request: ${r.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, complaints };
}
