/** Scheduling: so far the control words. */
export * from "./control/index.js";
