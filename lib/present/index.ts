/** How results look in notebooks, and cells in other languages than TypeScript. */
import { showTables } from "./shown-tables.js";

showTables();

export { type AllocationWatch, watchAllocation } from "./allocation.js";
export { completeNames, inspectNames } from "./cell-names.js";
export { type Completions, completeCell, inspectCell } from "./cell-words.js";
export {
  type Assembled,
  type CellHead,
  type CellLanguage,
  type CellOptions,
  type CellResult,
  type CudaCompilation,
  cellHead,
  isForeignCell,
  runCell,
} from "./cells.js";
export { type CubinNotes, presentCubin } from "./cubin.js";
export { type BlockLatency, type FunctionLatency, staticLatency } from "./latency.js";
export { occupancyView } from "./occupancy.js";
export { figuresOf, pipelineData } from "./pipeline.js";
export { type CodeOf, Device, estimate, readCubin, simulate, sourcePage } from "./shown.js";
export {
  allocate,
  allRulePlaces,
  assemble,
  buildDag,
  disassemble,
  liftCubin,
  liftFunction,
  reschedule,
  rulePlaces,
  ruleTexts,
  runPhase,
  runPhases,
  scheduleFunc,
  verifyCubin,
} from "./shown-compiler.js";
