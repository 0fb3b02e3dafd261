/** What the commands need of the world around them; tests bring their own. */
import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { getSystemErrorMap } from "node:util";
import { UsageError } from "./usage.js";

export interface Host {
  /** Null when the file cannot be read. `-` is the standard input. */
  readonly read: (path: string) => Uint8Array | null;
  readonly isDirectory: (path: string) => boolean;
  /** Writes the file whole or not at all; false when it cannot be written. */
  readonly write: (path: string, bytes: Uint8Array) => boolean;
  /** Throws a UsageError when the text cannot be written (a full disk). */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Told how many characters of PTX will be compiled, before they are. */
  readonly expect?: (characters: number) => void;
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

/**
 * Synchronous, so that nothing is lost when the process ends. A closed pipe is the reader's business, and of an error
 * output that takes nothing nobody can be told.
 */
function write(fd: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (e) {
      const { code, errno = 0 } = e as NodeJS.ErrnoException;
      if (code === "EAGAIN") continue;
      if (code === "EPIPE" || fd === 2) return;
      const why = getSystemErrorMap().get(errno)?.[1] ?? code;
      throw new UsageError(`cannot write to the standard output: ${why}`);
    }
  }
}

/** The file that a path names after symbolic links, also one that does not exist yet, as `open` would find it. */
function linked(path: string): string {
  let file = path;
  for (let links = 0; lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false; links++) {
    if (links > 40) throw new UsageError(`'${path}': too many symbolic links`);
    // The folder first: `..` in a link leads away from where the link really is.
    file = resolve(realpathSync(dirname(file)), readlinkSync(file));
  }
  return file;
}

/** One call writes no more than 2 GiB. */
const MOST = 0x40000000;

function writeNew(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx");
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(MOST, bytes.length - at));
  } finally {
    closeSync(file);
  }
}

/** Regular files are replaced by renaming a finished neighbour; devices and pipes are written to directly. */
function writeWhole(name: string, bytes: Uint8Array): boolean {
  try {
    const path = linked(name);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      if (there.isDirectory()) return false;
      writeFileSync(path, bytes);
      return true;
    }
    const part = join(dirname(path), `.${basename(path)}.${process.pid}-${process.hrtime.bigint()}.part`);
    try {
      writeNew(part, bytes);
      if (there !== undefined) chmodSync(part, there.mode & 0o7777);
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
