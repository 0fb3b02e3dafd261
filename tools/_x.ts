import { readFileSync } from "node:fs";
import { readElf } from "../lib/elf/elf64";
import { describeCubin, readCubin } from "../lib/elf/index";

const b = new Uint8Array(readFileSync("/tmp/u/1212.bin"));
console.log("elf", readElf(b).ok);
const r = readCubin(b);
console.log("cubin", r.ok);
console.log(describeCubin(b, { contents: true }));
