/// <reference lib="dom" />
/** The page of a compilation in a real Chromium: what lights up, differences, search, keys, light and dark, nothing asked for. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { type Compilation, compile, type Func, figuresOf, staticLatency } from "../../lib/index.js";
import { type PipelineFunction, phases, pipeline } from "../../lib/view/index.js";
import { shapes } from "../bench/growth";
import { describeBrowser, launch, type Opened, open } from "./browser";

const ptx = readFileSync(join(__dirname, "../corpus/ptx/sm_90/sgemm.ptx"), "latin1");

/** Functions at each moment that changed them, from a run of its own. */
function momentsOf(text: string): { c: Compilation; moments: { phase: string; func: Func }[] } {
  const moments: { phase: string; func: Func }[] = [];
  const c = compile(text, {
    target: "sm_90",
    file: "sgemm.ptx",
    observe: (e) => {
      if (e.kind === "after" && e.changed) moments.push({ phase: e.phase, func: e.snapshot() });
    },
  });
  moments.unshift({ phase: "lowered", func: c.functions[0]!.lowered });
  return { c, moments };
}

const insts = (f: Func) => f.blocks.flatMap((b) => b.insts);

test("the data say what the phases did", async () => {
  const { c, moments } = momentsOf(ptx);
  const { data, text } = await pipeline(c);
  const shown = data.functions[0]!;
  expect(shown.moments.map((m) => m.phase)).toEqual(moments.map((m) => m.phase));
  shown.moments.forEach((m, k) => {
    expect(m.blocks.flatMap((b) => b.insts.map((i) => i.id))).toEqual(insts(moments[k]!.func).map((i) => i.id));
    expect(m.figures.instructions).toBe(insts(moments[k]!.func).length);
    expect(text).toContain(m.phase);
  });
  // The machine code is that of the last moment, instruction by instruction.
  expect(shown.sass!.map((s) => s.id)).toEqual(insts(moments.at(-1)!.func).map((i) => i.id));
});

test("pressure, occupancy, latency and instructions in one chart", async () => {
  const { c, moments } = momentsOf(ptx);
  const chart = await phases(c);
  const end = moments.at(-1)!.func;
  const { warps, cycles } = figuresOf(end);
  expect(chart.text).toContain(`${insts(end).length} instructions`);
  expect(chart.text).toContain(`${warps} warps per SM, ${cycles} cycles`);
  expect(cycles).toBe(Math.round(staticLatency(end).cycles));
  expect((chart.spec.vconcat as unknown[]).length).toBe(4);
  expect(await chart.svg()).toContain("latency (cycles)");
});

test("a value without phases is refused, and so is a function that is not there", async () => {
  await expect(pipeline({})).rejects.toThrow("a compilation");
  await expect(pipeline(momentsOf(ptx).c, { functions: ["nix"] })).rejects.toThrow("no function nix");
});

test.each([
  ["one block", "values", 4990],
  ["very short blocks", "diamonds", 1250],
])("5,000 instructions in %s take less than 5 MB, the same bytes each time", async (_, shape, steps) => {
  const c = compile(shapes[shape]!(steps), { target: "sm_90" });
  const { html, data } = await pipeline(c);
  expect(data.functions[0]!.moments.at(-1)!.figures.instructions).toBeGreaterThanOrEqual(4990);
  expect(html.length).toBeLessThan(5_000_000);
  expect((await pipeline(c)).html).toBe(html);
});

test("sources of phis are live on their edges alone: the window of SSA form needs no more registers than the code around it", async () => {
  const { data } = await pipeline(compile(shapes.phis!(50), { target: "sm_90" }));
  const { moments } = data.functions[0]!;
  expect(moments.some((m) => m.blocks.some((b) => b.insts.some((i) => i.text.startsWith("MOV.PHI"))))).toBe(true);
  expect(moments.map((m) => m.figures.liveR)).toEqual(moments.map(() => 24));
});

describeBrowser("in Chromium", () => {
  let folder: string;
  let browser: Browser;
  let opened: Opened;
  let page: Page;
  let shown: PipelineFunction;
  const { c, moments } = momentsOf(ptx);
  const last = moments.length - 1;
  const column = (k: number): string => `[data-column=moment${k}]`;
  const text = (selector: string): Promise<string[]> => page.locator(selector).allTextContents();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ptxlab-page-"));
    const { html, data } = await pipeline(c);
    shown = data.functions[0]!;
    writeFileSync(join(folder, "page.html"), html);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    opened = await open(browser, join(folder, "page.html"));
    page = opened.page;
  });
  afterEach(async () => {
    // No script error, no violation of the policy, no request.
    expect(opened.complaints).toEqual([]);
    await page.context().close();
  });

  test("columns: source, moments, machine code; those in between are folded", async () => {
    const heads = await text(".column:not(.folded) .head b");
    expect(heads).toEqual(["PTX", "lowered", moments.at(-1)!.phase, "SASS"]);
    expect(await text(".strip")).toEqual(moments.slice(1, -1).map((m) => m.phase));
    await page.locator(".strip").first().click();
    expect(await page.locator(`${column(1)} .row`).count()).toBeGreaterThan(5);
  });

  test("source, first and last moment and machine code stand side by side within the window", async () => {
    const right = await page.locator("[data-column=sass]").evaluate((e) => e.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(page.viewportSize()!.width);
    // With all moments open each keeps a width at which code can be read.
    await page.evaluate(() => {
      for (const strip of document.querySelectorAll<HTMLElement>(".column.folded .strip")) strip.click();
    });
    for (const w of await page.locator(".column:not(.folded)").evaluateAll((all) => all.map((e) => e.clientWidth)))
      expect(w).toBeGreaterThan(230);
  });

  test("what an instruction came from and became lights up in all columns", async () => {
    // One that was there from the start and is in the machine code.
    const first = insts(moments[0]!.func);
    const kept = first.find((i) => i.loc !== null && insts(moments[last]!.func).some((x) => x.id === i.id))!;
    await page.locator(`${column(0)} .row[data-id="${kept.id}"]`).click();
    for (const place of [column(0), column(last), "[data-column=sass]"])
      expect(await page.locator(`${place} .row.self`).getAttribute("data-id")).toBe(String(kept.id));
    expect(await page.locator("[data-column=ptx] .row.kin .number").textContent()).toBe(String(kept.loc!.line));

    // One that was made of another: its origin lights up where it still stands.
    const at = moments.findIndex((m) =>
      insts(m.func).some((i) => i.origin >= 0 && first.some((o) => o.id === i.origin)),
    );
    const made = insts(moments[at]!.func).find((i) => i.origin >= 0 && first.some((o) => o.id === i.origin))!;
    await page.locator(`${column(at)} .strip`).click();
    await page.keyboard.press("Escape");
    await page.fill("#search", "");
    await page.evaluate(
      ([where, id]) => {
        const list = document.querySelector(`${where} .list`)!;
        for (let y = 0; y < list.scrollHeight; y += 100) {
          list.scrollTop = y;
          list.dispatchEvent(new Event("scroll"));
          const row = list.querySelector(`.row[data-id="${id}"]`);
          if (row instanceof HTMLElement) return row.click();
        }
      },
      [column(at), String(made.id)] as const,
    );
    expect(await page.locator(`${column(at)} .row.self`).getAttribute("data-id")).toBe(String(made.id));
    expect(await page.locator(`${column(0)} .row.kin[data-id="${made.origin}"]`).count()).toBe(1);
  });

  test("a line of the source lights up what was made of it", async () => {
    const line = insts(moments[last]!.func).find((i) => i.loc !== null)!.loc!.line;
    const wanted = insts(moments[last]!.func).filter((i) => i.loc?.line === line);
    await page.locator("[data-column=ptx] .list").evaluate((e, y) => e.scrollTo(0, y), (line - 5) * 18);
    await page.locator("[data-column=ptx] .row", { has: page.locator(`.number:text-is("${line}")`) }).click();
    for (const i of wanted.slice(0, 1))
      expect(await page.locator(`${column(last)} .row.kin[data-id="${i.id}"]`).count()).toBe(1);
    await page.click('[data-tab="instruction"]');
    expect(await page.locator("#panel").textContent()).toContain(`Line ${line} of the PTX`);
  });

  test("the difference of two moments stands on the lines of its instructions", async () => {
    await page.keyboard.press("d");
    await page.selectOption("#before", "0");
    await page.selectOption("#after", String(last));
    const [before, after] = [insts(moments[0]!.func), insts(moments[last]!.func)].map(
      (l) => new Set(l.map((i) => i.id)),
    );
    const removed = [...before!].filter((id) => !after!.has(id)).length;
    const added = [...after!].filter((id) => !before!.has(id)).length;
    const heads = await text("#difference .head .faint");
    expect(heads[0]).toBe(`${removed} removed`);
    expect(heads[1]).toMatch(new RegExp(`^${added} added, `));
    const ids = async (k: number): Promise<(string | undefined)[]> =>
      page
        .locator(`#difference .column:nth-child(${k}) .row.inst:not(.moved):not(.added):not(.removed):not(.blank)`)
        .evaluateAll((rows) => rows.map((r) => `${(r as HTMLElement).dataset.index} ${(r as HTMLElement).dataset.id}`));
    expect(await ids(1)).toEqual(await ids(2));
    await page.keyboard.press("d");
    expect(await page.locator("#difference").isHidden()).toBe(true);
  });

  test("search, next match, filter", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("ffma");
    const all = moments.reduce((n, m) => n + insts(m.func).filter((i) => i.form.op === "FFMA").length, 0);
    const sass = insts(moments[last]!.func).filter((i) => i.form.op === "FFMA").length;
    expect(await page.locator("#hits").textContent()).toMatch(new RegExp(`^${all + sass} in `));
    await page.keyboard.press("Enter");
    expect(await page.locator("#hits").textContent()).toMatch(/^\d+ of \d+$/);
    expect(await page.locator(".row.self").count()).toBeGreaterThan(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    expect(await page.locator("[data-column=sass] .row").count()).toBe(sass);
    await page.keyboard.press("f");
    expect(await page.locator("[data-column=sass] .row").count()).toBeGreaterThan(sass);
  });

  test("keys: rows, columns, panels, nothing selected", async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await page.locator(`${column(0)} .row.self`).getAttribute("data-id")).toBe(
      String(insts(moments[0]!.func)[1]!.id),
    );
    await page.keyboard.press("5");
    expect(await page.locator("#panel").textContent()).toContain(`Instruction ${insts(moments[0]!.func)[1]!.id}`);
    await page.keyboard.press("]");
    await page.keyboard.press("o");
    expect(await page.locator(`${column(1)}.current:not(.folded)`).count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator(".row.self").count()).toBe(0);
    await page.keyboard.press("?");
    expect(await page.locator("#help").isVisible()).toBe(true);
  });

  test("figures, and the flow graph with its loops", async () => {
    const rows = await text("#panel tbody tr");
    expect(rows).toHaveLength(moments.length);
    expect(rows.at(-1)).toContain(moments.at(-1)!.phase);
    await page.locator("#panel tbody tr").nth(1).click();
    expect(await page.locator(`${column(1)}.current:not(.folded)`).count()).toBe(1);
    await page.keyboard.press("2");
    expect(await page.locator("#panel .node").count()).toBe(moments[1]!.func.blocks.length);
    expect(await page.locator("#panel .loop").count()).toBe(1);
    const open = shown.moments[1]!.blocks.flatMap((b) => b.regions);
    expect(open.length).toBeGreaterThan(0);
    expect(await text("#panel .region title")).toEqual(open.map((name) => `convergence region ${name}`));
    await page.keyboard.press("7");
    expect(await page.locator("#panel tbody tr").count()).toBe(c.functions[0]!.phases.length);
  });

  test("the dependence graph of a block: its instructions, a critical path, what the selected one waits for", async () => {
    await page
      .locator(`${column(0)} .row.block`)
      .first()
      .click();
    const { dependences, insts: inBlock } = shown.moments[0]!.blocks[0]!;
    expect(await page.locator("#panel .dagnode").count()).toBe(inBlock.length);
    expect(await page.locator("#panel .dagnode.critical").count()).toBe(dependences!.critical.length);
    expect(await page.locator("#panel .dep.critical").count()).toBe(dependences!.critical.length - 1);
    const longest = Math.max(...dependences!.earliest.map((e, k) => e + dependences!.ahead[k]!));
    expect(await page.locator("#panel").textContent()).toContain(`The longest path takes ${longest} cycles`);
    // An instruction that waits for another of the block.
    const [from, to, cycles] = dependences!.edges.find(([a, b]) => a < inBlock.length && b < inBlock.length)!;
    await page.locator(`#panel .dagnode[data-id="${inBlock[to]!.id}"]`).click();
    expect(await page.locator(`${column(0)} .row.self`).getAttribute("data-id")).toBe(String(inBlock[to]!.id));
    const waits = await text("#panel tbody tr");
    expect(waits.some((w) => w.includes(`waits for${inBlock[from]!.id}`) && w.includes(String(cycles)))).toBe(true);
    // Another block, by the list of blocks.
    await page.selectOption('[aria-label="Block"]', "1");
    expect(await page.locator("#panel .dagnode").count()).toBe(shown.moments[0]!.blocks[1]!.insts.length);
  });

  test("live intervals: a bar for each stretch, another file, the values of the selected instruction", async () => {
    await page.keyboard.press("4");
    const [r, ...others] = shown.allocation!.files;
    expect(await page.locator("#panel .lanes text").count()).toBe(
      Math.max(...r!.intervals.map((i) => i.register + i.width)),
    );
    const bars = await page.locator("#panel .life").count();
    expect(bars).toBeGreaterThanOrEqual(r!.intervals.length);
    await page.locator("#panel .life").nth(3).click();
    expect(await page.locator(`${column(last)} .row.self`).count()).toBe(1);
    expect(await page.locator("#panel .life.lit").count()).toBeGreaterThan(0);
    const rows = await text("#panel tbody tr");
    expect(r!.intervals.some((i) => rows.some((row) => row.includes(i.value) && row.includes(i.why)))).toBe(true);
    await page.selectOption('[aria-label="Register file"]', others[0]!.file);
    expect(await page.locator("#panel .lanes text").first().textContent()).toBe(`${others[0]!.file}0`);
  });

  test("decisions: all of a phase, those of one part, at the instruction, under the pointer", async () => {
    const k = shown.moments.findIndex((m) => m.phase === "ScheduleInstructions");
    await page.keyboard.press("6");
    await page.locator("#panel .moments button", { hasText: "ScheduleInstructions" }).click();
    const { decisions } = shown.moments[k]!;
    expect(await page.locator("#panel > p").first().textContent()).toContain(`${decisions.length} decisions`);
    const of = decisions.find((d) => d.others.length > 0)!;
    await page.keyboard.press("/");
    await page.keyboard.type(of.what.toLowerCase());
    await page.keyboard.press("Escape");
    await page.locator("#panel .decisions .row").first().click();
    await page.keyboard.press("5");
    const panel = await page.locator("#panel").textContent();
    expect(panel).toContain(of.what);
    expect(panel).toContain(of.why);
    // The candidate that it was chosen over is a link.
    await page.locator(`#panel .link:text-is("${of.others[0]}")`).first().click();
    expect(await page.locator("#panel").textContent()).toContain(`Instruction ${of.others[0]},`);
    const row = page.locator(`${column(k)} .row[data-id="${of.others[0]}"]`);
    await row.hover();
    expect(await row.getAttribute("title")).toMatch(/^live: R \d+, UR \d+, P \d+\nscheduler: place /);
  });

  test("the panel grows by a key and by its bar", async () => {
    const height = (): Promise<number> => page.locator("#panel").evaluate((e) => e.clientHeight);
    const before = await height();
    await page.keyboard.press("p");
    const tall = await height();
    expect(tall).toBeGreaterThan(before * 1.5);
    await page.keyboard.press("p");
    const bar = (await page.locator("#tabs").boundingBox())!;
    await page.mouse.move(bar.x + bar.width - 200, bar.y + 3);
    await page.mouse.down();
    await page.mouse.move(bar.x + bar.width - 200, bar.y - 117);
    await page.mouse.up();
    expect(await height()).toBe(before + 120);
  });

  test("light and dark: by the system, and by the button", async () => {
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.click("#theme");
    expect(await paper()).toBe(light);
    await page.keyboard.press("t");
    expect(await paper()).toBe(dark);
  });
});

describeBrowser("the policy of the page", () => {
  test("a script that is not its own does not run, and nothing is fetched", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ptxlab-page-"));
    const browser = await launch();
    try {
      const evil = ptx.replace("ld.param", "// </script><script>document.title='gone'</script>\n\tld.param");
      const { html } = await pipeline(compile(evil, { target: "sm_90" }));
      const broken = html.replace(
        "<body>",
        "<body onload=\"document.title='gone'\"><img src='https://example.com/x.png'><script>document.title='gone'</script>",
      );
      expect(broken).not.toBe(html);
      writeFileSync(join(folder, "page.html"), broken);
      const { page, complaints } = await open(browser, join(folder, "page.html"));
      await page.waitForSelector(".row");
      expect(await page.title()).toBe("sgemm, phase by phase");
      // Three things were stopped (handler, picture, script), and nothing else went wrong.
      expect(complaints.filter((m) => /Content Security Policy/.test(m))).toHaveLength(3);
      // The browser tells of the picture before it stops it; nothing else was asked for, nothing else went wrong.
      expect(complaints.filter((m) => !/Content Security Policy/.test(m))).toEqual([
        "request: https://example.com/x.png",
      ]);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
