/** The commands as functions: arguments and a host in, an exit code out. */
export { type Host, processHost } from "./host.js";
export { ptxas } from "./ptxas.js";
export { ptxlab } from "./ptxlab.js";
