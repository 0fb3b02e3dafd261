/** Scheduling: so far the control words of -O0. */
export { type ControlPolicy, control, controlO0 } from "./control.js";
