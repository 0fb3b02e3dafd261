/**
 * The text that `printf` in a kernel makes: C's conversions over a buffer of arguments as clang and nvcc lay them out, each at a
 * multiple of its size: 4 bytes for int, 8 for long, pointers and double (CUDA programming guide, "Formatted Output").
 */

/** Reads the program's memory. */
export interface PrintfMemory {
  bytes(address: number, size: number): Uint8Array | null;
  /** A text ended by a zero byte. */
  text(address: number): string | null;
}

/** Longest text that is read, bytes. */
const LONGEST_TEXT = 1 << 16;

/** Memory that reads its texts byte by byte; `bytes` gives null where an address is not there. */
export function printfMemory(bytes: PrintfMemory["bytes"]): PrintfMemory {
  const text = (address: number): string | null => {
    let s = "";
    for (let k = 0; k < LONGEST_TEXT; k++) {
      const b = bytes(address + k, 1);
      if (b === null) return null;
      if (b[0] === 0) return s;
      s += String.fromCharCode(b[0]!);
    }
    return s;
  };
  return { bytes, text };
}

const conversion = /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|j|z|t|L)?([diouxXcsfFeEgGaAp%])/g;

/** The text, or null when something it needs cannot be read. */
export function formatted(format: string, buffer: number, memory: PrintfMemory): string | null {
  let at = 0;
  let failed = false;
  const take = (size: number): DataView => {
    at = Math.ceil(at / size) * size;
    const bytes = memory.bytes(buffer + at, size);
    at += size;
    if (bytes === null) failed = true;
    return new DataView(Uint8Array.from(bytes ?? new Uint8Array(size)).buffer);
  };
  const text = format.replace(
    conversion,
    (
      whole: string,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      length: string | undefined,
      kind: string,
    ) => {
      if (kind === "%") return "%";
      const columns = width === "*" ? take(4).getInt32(0, true) : Number(width ?? 0);
      const dot = whole.includes(".");
      const digits = precision === "*" ? take(4).getInt32(0, true) : dot ? Number(precision ?? 0) : -1;
      const left = flags.includes("-") || columns < 0;
      const body = converted(kind, flags, digits, length ?? "", take, memory);
      if (body === null) {
        failed = true;
        return "";
      }
      return padded(
        body,
        Math.abs(columns),
        left,
        flags.includes("0") && kind !== "s" && kind !== "c" && (digits < 0 || !/[diouxX]/.test(kind)),
      );
    },
  );
  return failed ? null : text;
}

function padded(body: string, width: number, left: boolean, zeros: boolean): string {
  if (left) return body.padEnd(width);
  if (!zeros || !/\d/.test(body)) return body.padStart(width);
  const sign = /^(?:[-+ ]|0[xX])*/.exec(body)?.[0] ?? "";
  return sign + body.slice(sign.length).padStart(width - sign.length, "0");
}

type Take = (size: number) => DataView;

function converted(
  kind: string,
  flags: string,
  digits: number,
  length: string,
  take: Take,
  memory: PrintfMemory,
): string | null {
  const wide = /^(?:l|ll|j|z|t)$/.test(length);
  switch (kind) {
    case "d":
    case "i": {
      let n = wide ? take(8).getBigInt64(0, true) : BigInt(take(4).getInt32(0, true));
      if (length === "hh") n = BigInt.asIntN(8, n);
      if (length === "h") n = BigInt.asIntN(16, n);
      return signed(n < 0n, (n < 0n ? -n : n).toString().padStart(digits, "0"), flags);
    }
    case "o":
    case "u":
    case "x":
    case "X": {
      let n = wide ? take(8).getBigUint64(0, true) : BigInt(take(4).getUint32(0, true));
      if (length === "hh") n = BigInt.asUintN(8, n);
      if (length === "h") n = BigInt.asUintN(16, n);
      const base = kind === "o" ? 8 : kind === "u" ? 10 : 16;
      const number = n.toString(base).padStart(digits, "0");
      const prefix = flags.includes("#") && n !== 0n ? (base === 16 ? "0x" : base === 8 ? "0" : "") : "";
      return kind === "X" ? (prefix + number).toUpperCase() : prefix + number;
    }
    case "p":
      return `0x${take(8).getBigUint64(0, true).toString(16)}`;
    case "c":
      return String.fromCharCode(take(4).getUint8(0));
    case "s": {
      const s = memory.text(Number(take(8).getBigUint64(0, true)));
      return s === null || digits < 0 ? s : s.slice(0, digits);
    }
    default:
      return float(take(8).getFloat64(0, true), kind, flags, digits);
  }
}

function signed(negative: boolean, body: string, flags: string): string {
  return (negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + body;
}

function float(value: number, kind: string, flags: string, digits: number): string {
  const negative = value < 0 || Object.is(value, -0);
  const magnitude = Math.abs(value);
  const upper = kind === kind.toUpperCase();
  const body = Number.isFinite(value)
    ? finite(magnitude, kind.toLowerCase(), digits < 0 ? 6 : digits, flags.includes("#"), digits < 0)
    : Number.isNaN(value)
      ? "nan"
      : "inf";
  return signed(negative && !Number.isNaN(value), upper ? body.toUpperCase() : body, flags);
}

function finite(x: number, kind: string, digits: number, alternate: boolean, free: boolean): string {
  switch (kind) {
    case "f":
      return fixed(x, digits);
    case "e":
      return exponent(x.toExponential(Math.min(100, digits)));
    case "g": {
      const precision = Math.max(1, Math.min(100, digits));
      const power = x === 0 ? 0 : Number(/e([-+]\d+)$/.exec(x.toExponential(precision - 1))?.[1]);
      const text =
        power < -4 || power >= precision ? exponent(x.toExponential(precision - 1)) : fixed(x, precision - 1 - power);
      return alternate ? text : text.replace(/(\.\d*?)0+(e|$)/, "$1$2").replace(/\.(e|$)/, "$1");
    }
    default:
      return hexadecimal(x, free ? -1 : digits);
  }
}

/** `toFixed` beyond 1e21, where JavaScript goes over to exponents. */
function fixed(x: number, digits: number): string {
  if (x < 1e21) {
    const shown = Math.min(40, digits);
    // JavaScript rounds halves up, C to even; toFixed is exact.
    const exact = x.toFixed(shown + 60);
    const kept = exact.slice(0, -60).replace(/\.$/, "");
    const half = /^50*$/.test(exact.slice(-60)) && /[02468]$/.test(kept);
    return (half ? kept : x.toFixed(shown)) + "0".repeat(digits - shown);
  }
  return BigInt(x).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
}

/** C writes at least two digits of the exponent. */
function exponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, "e$10$2");
}

function hexadecimal(x: number, digits: number): string {
  if (x === 0) return `0x0${digits > 0 ? `.${"0".repeat(digits)}` : ""}p+0`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const word = bits.getBigUint64(0);
  const biased = Number((word >> 52n) & 0x7ffn);
  let mantissa = (word & 0xfffffffffffffn) | (biased === 0 ? 0n : 1n << 52n);
  const power = biased === 0 ? -1022 : biased - 1023;
  if (digits >= 0 && digits < 13) {
    const drop = BigInt(4 * (13 - digits));
    const half = 1n << (drop - 1n);
    const rest = mantissa & ((1n << drop) - 1n);
    mantissa >>= drop;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa++;
    mantissa <<= drop;
  }
  const fraction = (mantissa & 0xfffffffffffffn).toString(16).padStart(13, "0");
  const shown = digits < 0 ? fraction.replace(/0+$/, "") : fraction.slice(0, digits).padEnd(digits, "0");
  return `0x${(mantissa >> 52n).toString()}${shown === "" ? "" : `.${shown}`}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
