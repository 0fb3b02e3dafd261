/**
 * Functions that the driver brings along: those that PTX may declare (13.0.88 leaves them unresolved in executables), and the routines that ptxas
 * calls by itself, with the prototypes that its objects give them (read off `.strtab` after `-c`): letters of the parameters (l 64 bits, i 32, b and a
 * number an array of bytes), then what the ABI of lib/isa/abi.ts is.
 */
const declared: ReadonlySet<string> = new Set(["vprintf", "malloc", "free", "__assertfail"]);

const ABI = `|12p4r20sRx${"fff9".padStart(64, "0")}`;
const COPY = /^__cuda_syscall_cp_async_bulk_(?:tensor_[1-5]d_(tile|im2col)_)?(unicast|multicast)$/;

const GRADIENT =
  /^__cuda_syscall_tex_grad_(?:pred_)?(?:3d|cube|acube)_v4_(?:f32|s32|u32|f16)_f32(_offset)?(_depth_compare)?$/;

export const isDriverFunction = (name: string): boolean => declared.has(name) || COPY.test(name) || GRADIENT.test(name);

/** The prototype of a routine that no module declares; null for other names. */
export function driverPrototype(name: string): string | null {
  const gradient = GRADIENT.exec(name);
  if (gradient !== null)
    return `#b32lb16b16b16${gradient[1] === undefined ? "" : "b16"}${gradient[2] === undefined ? "" : "i"}${ABI}`;
  const copy = COPY.exec(name);
  if (copy === null) return null;
  const mask = copy[2] === "multicast" ? "i" : "";
  // Destination, source or map; bytes or coordinates; barrier, offsets, mask, policy.
  if (copy[1] === undefined) return `#vlli${mask === "" ? "l" : "li"}l${ABI}`;
  return `#vllb20l${copy[1] === "im2col" ? "b6" : ""}${mask}l${ABI}`;
}
