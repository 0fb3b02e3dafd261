/** What the commands need of the world around them; tests bring their own. */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface Host {
  /** Null when the file cannot be read. `-` is the standard input. */
  readonly read: (path: string) => Uint8Array | null;
  readonly isDirectory: (path: string) => boolean;
  /** Writes the file whole or not at all; false when it cannot be written. */
  readonly write: (path: string, bytes: Uint8Array) => boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const processHost: Host = {
  read(path) {
    try {
      return readFileSync(path === "-" ? 0 : path);
    } catch {
      return null;
    }
  },
  isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  write: writeWhole,
  out: (text) => write(1, text),
  err: (text) => write(2, text),
};

/** Synchronous, so that nothing is lost when the process ends; a closed pipe is the reader's business. */
function write(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (e) {
      const code = (e as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw e;
    }
  }
}

/** Regular files are replaced by renaming a finished neighbour; devices and pipes are written to directly. */
function writeWhole(path: string, bytes: Uint8Array): boolean {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      if (there.isDirectory()) return false;
      writeFileSync(path, bytes);
      return true;
    }
    const part = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.part`);
    try {
      closeSync(openSync(part, "wx"));
      writeFileSync(part, bytes);
      renameSync(part, path);
      return true;
    } catch {
      rmSync(part, { force: true });
      return false;
    }
  } catch {
    return false;
  }
}
