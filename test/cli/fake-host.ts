import type { Host } from "../../lib/cli/index";

/** A host in memory; `written` holds what was written. */
export interface FakeHost extends Host {
  readonly written: Map<string, Uint8Array>;
  stdout: string;
  stderr: string;
}

export function fakeHost(files: Readonly<Record<string, string | Uint8Array>> = {}): FakeHost {
  const host: FakeHost = {
    written: new Map(),
    stdout: "",
    stderr: "",
    read: (path) => {
      const file = files[path];
      return file === undefined ? null : typeof file === "string" ? Buffer.from(file, "latin1") : file;
    },
    isDirectory: (path) => path === "folder",
    write: (path, bytes) => {
      if (path === "" || path.startsWith("/nowhere/")) return false;
      host.written.set(path, bytes);
      return true;
    },
    out: (text) => {
      host.stdout += text;
    },
    err: (text) => {
      host.stderr += text;
    },
  };
  return host;
}
