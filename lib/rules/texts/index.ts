/** The texts of the rules, in the order in which they are tried. */
import { extrema } from "./extrema.js";
import { floats } from "./floats.js";
import { identities } from "./identities.js";
import { logic } from "./logic.js";
import { selects } from "./selects.js";
import { sums } from "./sums.js";

export const texts: readonly string[] = [identities, sums, logic, extrema, selects, floats];
