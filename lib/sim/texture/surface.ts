/**
 * Where an access of a surface goes: coordinates of texels, or with the first one in bytes. Outside of the surface it faults, does nothing, or goes to the nearest
 * place (PTX ISA, suld: .trap, .zero, .clamp); layers as the other coordinates (assumed).
 */
import { channelBytes, shapes } from "./object.js";
import { type Stored, texelAddress } from "./record.js";

export type Outside = "trap" | "zero" | "clamp";

/** An address, or why there is none. */
export type SurfacePlace = number | "outside" | "misaligned" | "skipped";

/** `at`: x (in bytes or texels), then y and z, then the layer of a layered one; `bytes` of the access. */
export function surfacePlace(
  s: Stored,
  at: readonly number[],
  inBytes: boolean,
  bytes: number,
  outside: Outside,
): SurfacePlace {
  const texel = channelBytes(s.type) * s.channels;
  const { dimensions, layered } = shapes[s.shape];
  const limits: number[] = s.size.slice(0, dimensions);
  const unit = inBytes ? 1 : texel;
  const last = (limits[0]! * texel - bytes) / unit;
  if (layered || shapes[s.shape].cube) limits.push(s.images);
  const place = at.slice(0, limits.length);
  for (let k = 0; k < limits.length; k++) {
    const most = k === 0 ? Math.floor(last) : limits[k]! - 1;
    if (place[k]! >= 0 && place[k]! <= most) continue;
    if (outside === "trap") return "outside";
    if (outside === "zero") return "skipped";
    place[k] = Math.max(0, Math.min(most, place[k]!));
  }
  const [x] = place as [number];
  const [y, z] = [dimensions > 1 ? place[1]! : 0, dimensions > 2 ? place[2]! : 0];
  const image = place[dimensions] ?? 0;
  const address = texelAddress(s, 0, image, 0, y, z) + x * unit;
  return address % bytes === 0 ? address : "misaligned";
}
