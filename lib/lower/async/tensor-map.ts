/**
 * Tensor maps: kernels get them as parameters (`__grid_constant__`), whose generic address they take by `cvta.param` and give to the copies.
 */
import { at, type Family, type Lowering, operands } from "../family.js";
import { Refusal } from "../refusal.js";
import { addressIn, wideAddress } from "./operands.js";
import { eachLane, toUniform } from "./uniform.js";

const prefetchMap: Lowering = (c, i, m) => {
  m.need(["tensormap"]);
  if (!c.target.has("clusters")) throw new Refusal();
  const map = wideAddress(c, addressIn(at(operands(i, 1), 0)), "generic");
  eachLane(c, () => c.emit("UTMACCTL.PF", [], [toUniform(c, [map])]));
};

/** Lowerings of opcodes that mean something more for tensor maps; `base` takes the rest. */
export function withTensorMaps(base: Family): Family {
  const { prefetch } = base;
  return {
    ...base,
    prefetch: (c, i, m) => {
      if (i.modifiers.includes("tensormap") && !i.modifiers.includes("param")) prefetchMap(c, i, m);
      else if (prefetch === undefined) throw new Refusal();
      else prefetch(c, i, m);
    },
  };
}
