/** JupyterLab's extension: colours of `%%ptx`, `%%sass` and `%%cuda` cells, in a real JupyterLab in a real Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { mode } from "../../lib/present/labextension/mode";
import { describeBrowser, launch } from "../view/browser";
import { describeJupyter, JupyterServer } from "./server";

jest.setTimeout(120_000);

/** What CodeMirror asks of a language for each line in turn. */
function read(lines: readonly string[]): string[] {
  // Words are letters; comments as in PTX.
  const parser = mode("test", (line) =>
    (line.match(/\/\*.*?(?:\*\/|$)|\w+|[^\w/]+/g) ?? []).map((text) => ({
      text,
      kind: text.startsWith("/*") ? ("comment" as const) : /\w/.test(text) ? ("opcode" as const) : null,
    })),
  );
  const state = parser.startState();
  return lines.map((string) => {
    const told: string[] = [];
    const stream = {
      string,
      pos: 0,
      sol: () => stream.pos === 0,
      skipToEnd: () => {
        stream.pos = string.length;
      },
    };
    while (stream.pos < string.length) {
      const from = stream.pos;
      const style = parser.token(stream, state);
      expect(stream.pos).toBeGreaterThan(from);
      if (style !== null) told.push(`${style}:${string.slice(from, stream.pos)}`);
    }
    return told.join(" ");
  });
}

test("a line is read word by word, a comment over lines", () => {
  expect(read(["%%ptx k -O1", "one two", "one /* two", "three", "four */ five", "", "/* six */ seven"])).toEqual([
    "meta:%%ptx k -O1",
    "keyword:one keyword:two",
    "keyword:one comment:/* two",
    "comment:three",
    "comment:four */ keyword:five",
    "",
    "comment:/* six */ keyword:seven",
  ]);
});

const cells = [
  "const add = 1;",
  "%%ptx k\n.reg .b32 %r1;\nadd.u32 %r1, %tid.x, add; // sum\n/* two\nlines */ ret;",
  "%%sass s\n.kernel s\nIADD3 R0, R1, 0x2, RZ ; // sum",
  "%%cuda c\n__global__ void c(float *p) { return; } // nothing",
];

describeJupyter("in JupyterLab", () => {
  describeBrowser("in Chromium", () => {
    let folder: string;
    let server: JupyterServer;
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), "ptxlab-lab-"));
      writeFileSync(path.join(folder, "n.ipynb"), notebook());
      server = await JupyterServer.start("jupyter-lab", folder, ["--LabApp.expose_app_in_browser=True"], {
        JUPYTERLAB_SETTINGS_DIR: path.join(folder, "settings"),
        JUPYTERLAB_WORKSPACES_DIR: path.join(folder, "workspaces"),
      });
      browser = await launch();
      page = await browser.newPage({ viewport: { width: 1400, height: 1200 } });
      page.on("pageerror", (e) => complaints.push(e.message));
      const { baseUrl, token } = server.settings;
      await page.goto(`${baseUrl}lab/tree/n.ipynb?reset&token=${token}`, { timeout: 60_000 });
      await cellAt(3).locator(".cm-line span").first().waitFor({ timeout: 60_000 });
    });
    afterAll(async () => {
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const cellAt = (n: number) => page.locator(".jp-Notebook .jp-CodeCell").nth(n);

    /** Of each coloured word of a cell, which variables of the theme give its colour. */
    const words = (cell: number): Promise<string[]> =>
      page.evaluate((n) => {
        const names = "keyword property variable-2 builtin meta number comment".split(" ");
        const probe = document.body.appendChild(document.createElement("i"));
        const colours = names.map((name) => {
          probe.style.color = `var(--jp-mirror-editor-${name}-color)`;
          return [name, getComputedStyle(probe).color] as const;
        });
        probe.remove();
        const editor = document.querySelectorAll(".jp-Notebook .jp-CodeCell")[n]!;
        return [...editor.querySelectorAll(".cm-line span")].map((span) => {
          const { color } = getComputedStyle(span);
          const mine = colours.flatMap(([name, c]) => (c === color ? [name] : []));
          return `${mine.join("|")}:${span.textContent}`;
        });
      }, cell);

    /** Themes give some variables the same colour. */
    const as = (variable: string, texts: string): unknown[] =>
      texts.split(" ; ").map((text) => {
        const exact = text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
        return expect.stringMatching(new RegExp(`^(?:[\\w|-]*\\|)?${variable}(?:\\|[\\w|-]*)?:${exact}$`));
      });
    const told = async (): Promise<void> => {
      expect(await words(0)).toEqual(expect.arrayContaining([...as("keyword", "const"), ...as("number", "1")]));
      expect(await words(1)).toEqual(
        expect.arrayContaining([
          ...as("meta", "%%ptx k ; .reg ; .b32"),
          ...as("keyword", "add ; ret"),
          ...as("property", ".u32"),
          ...as("variable-2", "%r1"),
          ...as("builtin", "%tid.x"),
          ...as("comment", "// sum ; /* two ; lines */"),
        ]),
      );
      expect(await words(2)).toEqual(
        expect.arrayContaining([
          ...as("meta", "%%sass s ; .kernel"),
          ...as("keyword", "IADD3"),
          ...as("variable-2", "R0"),
          ...as("number", "0x2"),
        ]),
      );
      expect(await words(3)).toEqual(
        expect.arrayContaining([
          ...as("meta", "%%cuda c"),
          ...as("builtin", "__global__"),
          ...as("keyword", "void ; return"),
          ...as("comment", "// nothing"),
        ]),
      );
    };

    test("words have the colours of the theme, light and dark", async () => {
      await told();
      const light = await page.evaluate(
        () => getComputedStyle(document.querySelector(".jp-Cell .cm-line span")!).color,
      );
      await page.evaluate(() =>
        (
          globalThis as unknown as { jupyterapp: { commands: { execute(id: string, args: object): Promise<void> } } }
        ).jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Dark" }),
      );
      await page.waitForFunction(() => document.body.dataset.jpThemeLight === "false");
      await told();
      expect(
        await page.evaluate(() => getComputedStyle(document.querySelector(".jp-Cell .cm-line span")!).color),
      ).not.toBe(light);
    });

    test("while one types, also when a cell becomes another", async () => {
      await cellAt(0).locator(".cm-line").first().click();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("%%ptx t\nmul.lo.u32 ");
      expect(await words(0)).toEqual(expect.arrayContaining([...as("meta", "%%ptx t"), ...as("keyword", "mul")]));
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("// ");
      expect(await words(0)).not.toEqual(expect.arrayContaining(as("keyword", "mul")));
    });

    test("without an error on the page", () => expect(complaints).toEqual([]));
  });
});

function notebook(): string {
  const made = cells.map((source, i) => ({
    cell_type: "code",
    id: `c${i}`,
    execution_count: null,
    metadata: {},
    outputs: [],
    source,
  }));
  const metadata = {
    kernelspec: { name: "ptxlab", display_name: "ptxlab", language: "typescript" },
    language_info: { name: "typescript", mimetype: "text/typescript", file_extension: ".ts" },
  };
  return JSON.stringify({ cells: made, metadata, nbformat: 4, nbformat_minor: 5 });
}
