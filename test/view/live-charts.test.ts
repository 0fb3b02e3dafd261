/// <reference lib="dom" />
/** Charts of a compilation drawn live in a real Chromium, as a front end draws them: light, and under the dark theme that JupyterLab lays below a specification. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { compile } from "../../lib/index.js";
import { chartsOfCubin } from "../../lib/present/cubin.js";
import { type Chart, phases } from "../../lib/view/index.js";
import { corpusPtx } from "../corpus/cases";
import { describeBrowser, launch, open } from "./browser";

/** The dark theme of vega-themes 2, which vega-embed merges below the configuration of the specification. */
const DARK = {
  background: "#333",
  view: { stroke: "#888" },
  title: { color: "#fff", subtitleColor: "#fff" },
  style: { "guide-label": { fill: "#fff" }, "guide-title": { fill: "#fff" } },
  axis: { domainColor: "#fff", gridColor: "#888", tickColor: "#fff" },
};

jest.setTimeout(120_000);

type Settings = { [key: string]: Settings | unknown };

function merged(below: Settings, above: Settings): Settings {
  const out: Settings = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = out[key];
    const both = [under, value].every((v) => typeof v === "object" && v !== null && !Array.isArray(v));
    out[key] = both ? merged(under as Settings, value as Settings) : value;
  }
  return out;
}

const underDark = (spec: Chart["spec"]): Chart["spec"] => ({
  ...spec,
  config: merged(DARK, (spec.config ?? {}) as Settings),
});

/** Relative luminance by WCAG 2. */
function luminance(color: string): number {
  const [r, g, b] = (/\d+, \d+, \d+/.exec(color)?.[0] ?? "0, 0, 0").split(", ").map((v) => {
    const c = Number(v) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

describeBrowser("charts of a compilation in Chromium", () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "ptxlab-charts-"));
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["light", "dark"] as const)("%s: drawn without complaint, every word readable", async (scheme) => {
    const c = compile(corpusPtx("scan", "sm_90"), { target: "sm_90" });
    const charts = [...chartsOfCubin(c.cubin), await phases(c)];
    expect(charts).toHaveLength(4);
    const file = join(folder, `${scheme}.html`);
    writeFileSync(
      file,
      `<!DOCTYPE html><meta charset="utf-8"><body style="background:${scheme === "dark" ? "#111" : "#fff"}">`,
    );
    const { page, complaints } = await open(browser, file);
    for (const script of ["vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js"])
      await page.addScriptTag({ path: join(__dirname, "../../node_modules", script) });
    const specs = charts.map((x) => (scheme === "dark" ? underDark(x.spec) : x.spec));
    const words = await page.evaluate(async (all) => {
      const { vega, vegaLite } = globalThis as unknown as {
        vega: {
          View: new (flow: unknown, options: object) => { runAsync(): Promise<unknown> };
          parse(spec: unknown): unknown;
        };
        vegaLite: { compile(spec: unknown): { spec: unknown } };
      };
      const found: { words: string; color: string; background: string }[] = [];
      for (const spec of all) {
        const container = document.body.appendChild(document.createElement("div"));
        await new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: "svg", container }).runAsync();
        const svg = container.querySelector("svg")!;
        const background = getComputedStyle(svg.querySelector("rect.background") ?? svg);
        const paper = svg.style.backgroundColor || background.fill;
        // A halo is the same word once more, drawn in the colour of the paper below it.
        for (const text of svg.querySelectorAll("text"))
          if (text.textContent !== "" && getComputedStyle(text).strokeWidth !== "4px")
            found.push({ words: text.textContent!, color: getComputedStyle(text).fill, background: paper });
      }
      return found;
    }, specs);
    if (process.env.PTXLAB_PICTURES !== undefined)
      await page.screenshot({ path: join(process.env.PTXLAB_PICTURES, `charts-${scheme}.png`), fullPage: true });
    expect(words.length).toBeGreaterThan(60);
    for (const { words: w, color, background } of words) {
      const [light, dark] = [luminance(background), luminance(color)].sort((a, b) => b - a) as [number, number];
      expect([w, background, color, (light + 0.05) / (dark + 0.05) >= 3]).toEqual([w, background, color, true]);
    }
    expect(complaints.filter((m) => !m.startsWith("request:"))).toEqual([]);
    await page.context().close();
  });
});
