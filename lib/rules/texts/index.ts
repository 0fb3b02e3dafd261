/** The texts of the rules, in the order in which they are tried. */
import { sums } from "./sums.js";

export const texts: readonly string[] = [sums];
