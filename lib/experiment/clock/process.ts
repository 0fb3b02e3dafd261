/** A process that is asked in lines of JSON, one question at a time. It does not keep this one alive while nothing is asked. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Socket } from "node:net";

export type Answer = Readonly<Record<string, unknown>>;
/** Why there is no answer. */
export interface Ended {
  readonly ended: string;
}

/** Characters of the error output that are kept. */
const KEPT = 2000;

export class LineProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private waiting: ((answer: Answer | Ended) => void) | null = null;
  private readonly answers: Answer[] = [];
  private text = "";
  private errors = "";
  private end: Ended | null = null;

  constructor(command: readonly string[]) {
    const [program = "", ...args] = command;
    // In a group of its own: an interrupt from the keyboard is for this process, which decides what it means.
    this.child = spawn(program, args, { stdio: "pipe", detached: true });
    this.child.unref();
    const { stdin, stdout, stderr } = this.child;
    for (const stream of [stdin, stdout, stderr]) if (stream instanceof Socket) stream.unref();
    // What a broken pipe means is told by the end of the process.
    stdin.on("error", () => {});
    stdout.setEncoding("utf8").on("data", (text: string) => this.take(text));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-KEPT);
    });
    this.child.on("error", (e: NodeJS.ErrnoException) =>
      this.over(`cannot start ${program}: ${e.code === "ENOENT" ? "no such program" : e.message}`),
    );
    this.child.on("close", (status, by) => {
      const last = this.errors.trim().split("\n").at(-1);
      this.over(`the process ended with ${by ?? `exit status ${status}`}${last ? `: ${last}` : ""}`);
    });
  }

  /** False once it has ended or was stopped. */
  get alive(): boolean {
    return this.end === null;
  }

  private take(text: string): void {
    const lines = (this.text + text).split("\n");
    this.text = lines.pop()!;
    for (const line of lines) {
      // Whatever else a program on the way says (a shell's greeting) is no answer.
      if (!line.startsWith("{")) continue;
      let answer: Answer;
      try {
        answer = JSON.parse(line) as Answer;
      } catch {
        this.stop(`no answer: ${line.slice(0, 80)}`);
        return;
      }
      if (this.waiting === null) this.answers.push(answer);
      else this.waiting(answer);
    }
  }

  private over(why: string): void {
    this.end ??= { ended: why };
    this.waiting?.(this.end);
  }

  /** The answer to a question; null asks nothing and waits for what it says by itself. Without one in time it is stopped. */
  ask(question: Answer | null, seconds: number): Promise<Answer | Ended> {
    const said = this.answers.shift();
    if (said !== undefined && question === null) return Promise.resolve(said);
    // Answers from here on would be taken for those of the questions after them.
    if (said !== undefined) this.stop(`an answer to no question: ${JSON.stringify(said).slice(0, 80)}`);
    if (this.end !== null) return Promise.resolve(this.end);
    return new Promise((done) => {
      const late = setTimeout(() => {
        this.stop(`no answer within ${Math.round(seconds)} s`);
      }, 1000 * seconds);
      this.waiting = (answer) => {
        clearTimeout(late);
        this.waiting = null;
        done(answer);
      };
      if (question !== null) this.child.stdin.write(`${JSON.stringify(question)}\n`);
    });
  }

  /** Ends it, whatever it is at. */
  stop(why = "stopped"): void {
    this.child.kill("SIGKILL");
    this.over(why);
  }
}
