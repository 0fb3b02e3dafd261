/** The commit of a folder, read from Git's files as Git lays them out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commitOf } from "../../lib/experiment/provenance.js";

const hash = "0123456789abcdef0123456789abcdef01234567";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-commit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test.each<[string, Readonly<Record<string, string>>, string | null]>([
  ["a branch", { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${hash}\n` }, hash],
  [
    "a packed branch",
    { ".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": `# pack\n${hash} refs/heads/main\n` },
    hash,
  ],
  ["no branch", { ".git/HEAD": `${hash}\n` }, hash],
  [
    "a worktree",
    {
      ".git": "gitdir: clone/worktrees/w\n",
      "clone/worktrees/w/HEAD": "ref: refs/heads/topic\n",
      "clone/worktrees/w/commondir": "../..\n",
      "clone/refs/heads/topic": `${hash}\n`,
    },
    hash,
  ],
  ["no repository", {}, null],
  ["a damaged one", { ".git/HEAD": "ref: refs/heads/main\n" }, null],
])("%s", (_, files, commit) => {
  write(files);
  expect(commitOf(folder)).toBe(commit);
});
