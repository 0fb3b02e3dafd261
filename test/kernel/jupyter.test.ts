/** The kernel under a real Jupyter server, driven as JupyterLab drives it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { KernelAPI, KernelConnection } from "@jupyterlab/services";
import { type Cell, describeJupyter, execute, JupyterServer, jupyter } from "./server";

jest.setTimeout(60_000);

const SHOW =
  'const show = (globalThis as any)[Symbol.for("ptxlab.display")] as (v: unknown, o?: object) => Promise<void>;';
const types = (cell: Cell): string[] => cell.messages.map((m) => m.type);
const result = (cell: Cell): unknown =>
  (cell.messages.find((m) => m.type === "execute_result")?.content.data as Record<string, unknown> | undefined)?.[
    "text/plain"
  ];
const shown = (cell: Cell): unknown[] =>
  cell.messages
    .filter((m) => m.type === "display_data")
    .map((m) => (m.content.data as Record<string, unknown>)["text/plain"]);

/** Waits until a condition holds; jest's own time limit ends it otherwise. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describeJupyter("the kernel over a Jupyter server", () => {
  let server: JupyterServer;
  let kernel: KernelConnection;
  let quiet: jest.SpyInstance[];
  const run = (code: string, options: object = {}): Promise<Cell> => execute(kernel, code, options);

  beforeAll(async () => {
    // The services report every connection on the console.
    quiet = (["log", "warn", "error", "debug"] as const).map((m) =>
      jest.spyOn(console, m).mockImplementation(() => {}),
    );
    server = await JupyterServer.start();
    kernel = await server.kernel();
  });
  afterAll(async () => {
    await kernel?.shutdown();
    kernel?.dispose();
    await server?.stop();
    for (const spy of quiet) spy.mockRestore();
  });

  test("says what it is", async () => {
    expect(await kernel.info).toMatchObject({
      status: "ok",
      implementation: "ptxlab",
      language_info: { name: "typescript" },
    });
  });

  describe("cells sent all at once", () => {
    test("keep their outputs and numbers to themselves", async () => {
      const { execution_count: before } = (await run("0")).reply as { execution_count: number };
      const cells = await Promise.all(
        [0, 1, 2, 3].map((i) => run(`${i === 0 ? SHOW : ""}\nconsole.log("p${i}"); await show("d${i}"); ${i} * 10`)),
      );
      expect(cells.map((c) => c.printed)).toEqual(["p0\n", "p1\n", "p2\n", "p3\n"]);
      expect(cells.map(shown)).toEqual([["d0"], ["d1"], ["d2"], ["d3"]]);
      expect(cells.map(result)).toEqual(["0", "10", "20", "30"]);
      expect(cells.map((c) => Number(c.reply.execution_count) - before)).toEqual([1, 2, 3, 4]);
    });

    test("end at the first error: ok, error, aborted, and no input after", async () => {
      const cells = await Promise.all(["1", "throw new Error('mid')", "console.log('never')", "3"].map((c) => run(c)));
      expect(cells.map((c) => c.reply.status)).toEqual(["ok", "error", "aborted", "aborted"]);
      expect(types(cells[1]!)).toEqual(["execute_input", "error"]);
      expect(cells.slice(2).flatMap(types)).toEqual([]);
      // The next cell, sent after the reply, is not affected.
      expect((await run("4")).reply.status).toBe("ok");
    });

    test("go on after an error with stop_on_error: false", async () => {
      const cells = await Promise.all(["throw 1", "2", "throw 3", "4"].map((c) => run(c, { stop_on_error: false })));
      expect(cells.map((c) => c.reply.status)).toEqual(["error", "ok", "error", "ok"]);
    });
  });

  test("no output is lost: 5,000 lines, 5,000 displays, then idle", async () => {
    const lines = await run("for (let i = 0; i < 5000; i++) console.log(i);");
    expect(lines.printed).toBe(Array.from({ length: 5000 }, (_, i) => `${i}\n`).join(""));
    const displays = await run("for (let i = 0; i < 5000; i++) void show(i);");
    expect(shown(displays).join(" ")).toBe(Array.from({ length: 5000 }, (_, i) => i).join(" "));
  });

  describe("results", () => {
    test("come from sync and async display methods, with their metadata", async () => {
      const display = (body: string) => `({ [Symbol.for("Jupyter.display")]: ${body} })`;
      const sync = await run(display('() => ({ "text/html": "<b>" })'));
      const later = await run(display('async () => ({ "text/html": "<i>" })'));
      const data = (c: Cell): unknown => c.messages.find((m) => m.type === "execute_result")?.content.data;
      expect([data(sync), data(later)]).toMatchObject([{ "text/html": "<b>" }, { "text/html": "<i>" }]);
      const failed = await run(display('() => { throw new RangeError("ugly"); }'));
      expect(failed.reply).toMatchObject({ status: "error", ename: "RangeError", evalue: "ugly" });
      expect(types(failed)).toEqual(["execute_input", "error"]);
    });
    test("are absent for undefined and for statements", async () => {
      expect(types(await run("undefined"))).toEqual(["execute_input"]);
      expect(types(await run("const nothing = 1;"))).toEqual(["execute_input"]);
    });
    test("a chart carries Vega-Lite, a PNG with its size, and words", async () => {
      const cell = await run('import { mixChart } from "ptxlab/view"; mixChart([{ name: "FFMA", count: 1 }])');
      const { data, metadata } = cell.messages.at(-1)!.content as Record<string, Record<string, unknown>>;
      expect(Object.keys(data!).sort()).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
      expect(metadata!["image/png"]).toMatchObject({ width: expect.any(Number), height: expect.any(Number) });
    });
    test("an update replaces: one display, one update, under one id", async () => {
      const cell = await run('await show("1/2", { id: "bar" }); await show("2/2", { id: "bar", update: true });');
      expect(types(cell)).toEqual(["execute_input", "display_data", "update_display_data"]);
      expect(cell.messages.slice(1).map((m) => m.content.transient)).toEqual([
        { display_id: "bar" },
        { display_id: "bar" },
      ]);
    });
  });

  describe("errors", () => {
    test.each([
      [
        "a type error",
        "const t: string =\n 1;",
        "TypeScript",
        "1:7 - Type 'number' is not assignable to type 'string'.",
      ],
      ["a syntax error", "const = 1;", "TypeScript", "1:7 - Variable declaration expected."],
      ["an exception", "\nthrow new SyntaxError('e');", "SyntaxError", "e"],
    ])("%s is an error and an error reply, with its position", async (_, code, ename, evalue) => {
      const cell = await run(code);
      const error = cell.messages.at(-1);
      expect(error?.type).toBe("error");
      expect(error?.content).toMatchObject({ ename });
      expect(String(error?.content.evalue)).toContain(evalue);
      expect(cell.reply).toMatchObject({ status: "error", ...error?.content });
      const line = ename === "SyntaxError" ? 2 : 1;
      expect((cell.reply.traceback as string[]).join("\n")).toContain(`In[${cell.reply.execution_count}]:${line}:`);
    });
  });

  describe("interrupt", () => {
    test.each([
      ["a loop", "while (true) {}"],
      ["a promise that never settles", "await new Promise(() => {});"],
      ["a loop after an await", "await null;\nwhile (true) {}"],
      ["a loop that prints", "await null;\nfor (let i = 0; ; i++) process.stdout.write('.');"],
      ["an asynchronous loop", "while (!(globalThis as any).enough) await new Promise((r) => setTimeout(r, 5));"],
    ])("ends %s and keeps the state", async (_, code) => {
      await run("var kept = 7;");
      const running = run(`console.log("in");\n${code}`);
      // The cell has begun when its first line arrives; an interrupt before would find nothing to end.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await kernel.interrupt();
      expect((await running).reply).toMatchObject({ status: "error", ename: "Interrupted" });
      expect(result(await run("(globalThis as any).enough = true; kept"))).toBe("7");
      await run("(globalThis as any).enough = false;");
    });

    test("reaches what runs on other threads", async () => {
      const signal = '(globalThis as any)[Symbol.for("ptxlab.interrupt")]';
      const running = run(`(globalThis as any).signal = ${signal};\nawait new Promise(() => {});`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await kernel.interrupt();
      await running;
      expect(result(await run(`[(globalThis as any).signal.aborted, ${signal}.aborted].join()`))).toBe("true,false");
    });

    test("ends a compilation in a cell of its own language, also before it has quite begun", async () => {
      const adds = Array.from({ length: 60_000 }, (_, i) => `add.f32 %f${i % 200}, %f${(7 * i) % 200}, %f1;`);
      const head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %f<200>;\n";
      const begun = new Promise<void>((resolve) => {
        kernel.iopubMessage.connect((_, m) => m.header.msg_type === "execute_input" && resolve());
      });
      const running = run(`%%ptx long\n${head}${adds.join("\n")}\nret;\n}`);
      await begun;
      await kernel.interrupt();
      expect((await running).reply).toMatchObject({ status: "error", ename: "Interrupted" });
    });

    test("does not end a kernel that is starting", async () => {
      const model = await KernelAPI.startNew({ name: "ptxlab" }, server.settings);
      await KernelAPI.interruptKernel(model.id, server.settings);
      const second = new KernelConnection({ model, serverSettings: server.settings });
      // The protocol orders nothing between channels: the one interrupt may reach the kernel after the first cell.
      const first = result(await execute(second, "6 * 7"));
      expect(first ?? result(await execute(second, "6 * 7"))).toBe("42");
      await second.shutdown();
      second.dispose();
    });
  });

  describe("requests", () => {
    test("completion of members and names", async () => {
      await run('import * as fs from "node:fs"; const point = { alpha: 1, beta: 2 };');
      const complete = async (code: string) =>
        (await kernel.requestComplete({ code, cursor_pos: code.length })).content;
      expect(await complete("point.")).toMatchObject({ status: "ok", matches: ["alpha", "beta"] });
      expect(await complete("'😀'; fs.readFi")).toMatchObject({ cursor_start: 8, cursor_end: 14 });
      expect(await complete("fs.readFi")).toMatchObject({
        matches: expect.arrayContaining(["readFile", "readFileSync"]),
      });
      // A string whose type names its values.
      expect(await complete('const one: "alpha-1" | "alpha-2" | "beta" = "alpha-')).toMatchObject({
        cursor_start: 45,
        cursor_end: 51,
        matches: ["alpha-1", "alpha-2"],
      });
      expect(await complete("({ knobs: { HoistLa")).toMatchObject({ cursor_start: 12, matches: ["HoistLate"] });
    });
    test("completion and inspection in cells of other languages", async () => {
      const request = { detail_level: 0 as const };
      const words: [string, string, RegExp][] = [
        ["%%ptx k\ncopys", "copysign", /^copysign\n/],
        ["%%sass k\nIMAD", "IMAD", /^IMAD\n/],
        ['%%cuda k\nasm("copys', "copysign", /^copysign\n/],
      ];
      for (const [code, match, text] of words) {
        const completed = (await kernel.requestComplete({ code, cursor_pos: code.length })).content;
        const inspected = (
          await kernel.requestInspect({ code: code.replace("copys", match), cursor_pos: code.length, ...request })
        ).content;
        if (match.startsWith("copy")) expect(completed).toMatchObject({ matches: [match] });
        expect((inspected as unknown as { data: Record<string, string> }).data["text/plain"]).toMatch(text);
      }
    });
    test("inspection shows the signature and the documentation", async () => {
      const inspect = async (code: string, at: number) =>
        (await kernel.requestInspect({ code, cursor_pos: at, detail_level: 0 })).content as unknown as Record<
          string,
          unknown
        >;
      const found = await inspect("Math.floor", 8);
      expect((found.data as Record<string, string>)["text/plain"]).toMatch(
        /floor\(x: number\): number[\s\S]*greatest integer/,
      );
      expect(await inspect("   ", 1)).toMatchObject({ status: "ok", found: false });
      // Among the arguments of a call it tells of the call.
      const around = await inspect("Math.atan2(1, [2][0], ", 22);
      expect((around.data as Record<string, string>)["text/plain"]).toMatch(/atan2\(y: number, x: number\)/);
    });
    test("completeness, history, comms", async () => {
      const complete = async (code: string) => (await kernel.requestIsComplete({ code })).content.status;
      expect(await complete("const a = {")).toBe("incomplete");
      expect(await complete("const a = {};")).toBe("complete");
      expect([await complete("%%ptx k"), await complete("%%ptx k\nret;\n\n")]).toEqual(["incomplete", "complete"]);
      const request = { output: false, raw: true, hist_access_type: "tail", n: 1 } as const;
      expect((await kernel.requestHistory(request as never)).content).toMatchObject({ status: "ok", history: [] });
      expect((await kernel.requestCommInfo({})).content).toMatchObject({ status: "ok", comms: {} });
    });
    test("are answered while a cell waits", async () => {
      const waiting = run("await new Promise(() => {});");
      expect((await kernel.requestIsComplete({ code: "1" })).content.status).toBe("complete");
      await kernel.interrupt();
      expect((await waiting).reply.status).toBe("error");
    });
    test("silent cells leave no trace", async () => {
      const before = Number((await run("0")).reply.execution_count);
      const silent = await run("console.log('x'); 5", { silent: true });
      expect(silent.messages).toEqual([]);
      expect(Number((await run("0")).reply.execution_count)).toBe(before + 1);
    });
  });

  test("what timers print arrives; their mistakes do not end the kernel", async () => {
    const late: string[] = [];
    const listen = (_: unknown, { msg }: { msg: { header: { msg_type: string }; content: unknown } }): void => {
      if (msg.header.msg_type === "stream") late.push((msg.content as { text: string }).text);
    };
    kernel.anyMessage.connect(listen as never);
    await run(
      "setTimeout(() => console.log('tick'), 30); void Promise.reject(new Error('lost')); setTimeout(() => { throw new Error('thrown'); }, 40);",
    );
    // The excerpt of the first mistake shows the whole line, words of the others included.
    const all = [/^tick$/m, /rejection: Error: lost/, /exception: Error: thrown/];
    await until(() => all.every((part) => part.test(late.join(""))));
    kernel.anyMessage.disconnect(listen as never);
    expect(late.join("")).toMatch(/Uncaught exception: Error: thrown\n\s+at .*In\[\d+\]:1:\d+/);
    expect((await run("1")).reply.status).toBe("ok");
  });

  test("restart begins anew; shutdown leaves no process", async () => {
    const second = await server.kernel();
    const pid = async () => Number(result(await execute(second, "process.pid")));
    await execute(second, "const gone = 1;");
    const first = await pid();
    await second.restart();
    await second.info;
    expect((await execute(second, "gone")).reply).toMatchObject({ ename: "TypeScript", execution_count: 1 });
    const again = await pid();
    await until(() => !alive(first));
    await second.shutdown();
    second.dispose();
    await until(() => !alive(again));
  });

  describe("nbconvert", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), "ptxlab-nbconvert-"));
      const cells = ["1", "throw new Error('mid')", "3"].map((source, i) => ({
        cell_type: "code",
        id: `c${i}`,
        execution_count: null,
        metadata: {},
        outputs: [],
        source,
      }));
      const kernelspec = { name: "ptxlab", display_name: "ptxlab", language: "typescript" };
      writeFileSync(
        path.join(folder, "in.ipynb"),
        JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }),
      );
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const convert = (...options: string[]): number | null =>
      spawnSync(
        jupyter("python"),
        ["-m", "nbconvert", "--to", "notebook", "--execute", "in.ipynb", "--output", "out", ...options],
        {
          cwd: folder,
          stdio: "ignore",
        },
      ).status;

    test("stops with status 1 at an error", () => {
      expect(convert()).toBe(1);
    });
    test("runs every cell with --allow-errors", () => {
      expect(convert("--allow-errors")).toBe(0);
      const { cells } = JSON.parse(readFileSync(path.join(folder, "out.ipynb"), "utf8"));
      const kinds = cells.map((c: { outputs: { output_type: string }[] }) => c.outputs.map((o) => o.output_type));
      expect(kinds).toEqual([["execute_result"], ["error"], ["execute_result"]]);
    });
  });
});
