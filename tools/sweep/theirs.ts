/** What ptxas makes of a file, kept in .cache/sweep: it takes most of the time. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const cache = join(root, ".cache/sweep");

/** A cubin or the first line that says why not. */
export type Made = { readonly cubin: Uint8Array } | { readonly refusal: string };

/** The file compiled by ptxas; `level` "default" gives no -O. Throws where there is no ptxas. */
export function madeByPtxas(file: string, text: Buffer, arch: string, level: string): Made {
  mkdirSync(cache, { recursive: true });
  const id = createHash("sha256").update(text).update(`${arch} ${level}`).digest("hex").slice(0, 24);
  const [out, refused] = [join(cache, `${id}.cubin`), join(cache, `${id}.txt`)];
  if (existsSync(out)) return { cubin: new Uint8Array(readFileSync(out)) };
  if (existsSync(refused)) return { refusal: readFileSync(refused, "utf8") };
  const made = `${out}.${process.pid}`;
  const options = [...(level === "default" ? [] : [`-O${level}`]), `-arch=${arch}`, file, "-o", made];
  const ran = spawnSync(join(root, ".oracle/bin/ptxas"), options, { encoding: "utf8" });
  if (ran.error !== undefined) throw ran.error;
  if (ran.status === 0) {
    renameSync(made, out);
    return { cubin: new Uint8Array(readFileSync(out)) };
  }
  const refusal = ran.stderr.split("\n").find((l) => /error|fatal/.test(l)) ?? `status ${ran.status ?? ran.signal}`;
  writeFileSync(refused, refusal);
  return { refusal };
}
