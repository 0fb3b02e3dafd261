/**
 * Views for notebooks: functions from plain data to charts and tables. Each result shows itself in a notebook, has its
 * data (`spec`, `html`) and says the same in plain words (`text`).
 */
export { type MixEntry, type MixOptions, mixChart, type StageTime, timesChart } from "./bars.js";
export { type BufferComparison, type BufferPair, bufferTable, compareBuffers, type Numbers } from "./buffers.js";
export { type Chart, chart } from "./chart.js";
export { type DiffLine, type DiffOptions, diff, diffLines } from "./diff.js";
export {
  type Displayable,
  type DisplayOptions,
  display,
  displaySymbol,
  type HtmlView,
  htmlView,
  inNotebook,
  type MimeBundle,
  metadataSymbol,
} from "./display.js";
export { allocationCurve, type FatpointOptions, type FatpointScan, fatpointChart } from "./fatpoint.js";
export {
  type GanttBar,
  type GanttOptions,
  ganttChart,
  type ReasonRow,
  reasonChart,
} from "./gantt.js";
export { type HeatCell, type HeatOptions, heatChart } from "./heat.js";
export { type CodeWord, highlighted, type WordKind } from "./highlight.js";
export { type ListingOptions, type ListingRow, listing } from "./listing.js";
export { type OccupancyCurve, type OccupancyPoint, type OccupancyView, occupancyChart } from "./occupancy.js";
export { paretoChart, type TradePoint } from "./pareto.js";
export { download, notices, picture, section } from "./parts.js";
export { type PhaseRow, phaseChart, phases } from "./phases.js";
export {
  type PipelineAllocation,
  type PipelineBlock,
  type PipelineData,
  type PipelineDecider,
  type PipelineDecision,
  type PipelineDependenceKind,
  type PipelineDependences,
  type PipelineFigures,
  type PipelineFunction,
  type PipelineInst,
  type PipelineInterval,
  type PipelineMoment,
  type PipelineOptions,
  type PipelinePhase,
  type PipelineRegisterFile,
  type PipelineSass,
  type PipelineSource,
  type PipelineSpill,
  type PipelineTeller,
  pipelineData,
  pipelineSymbol,
} from "./pipeline/data.js";
export { type PipelinePage, pipeline } from "./pipeline/page.js";
export type { LiveFigure, PlotlyFigure } from "./plotly/figure.js";
export { type ParallelOptions, parallelCoordinates } from "./plotly/parallel.js";
export {
  type AllocationAttempt,
  type RegisterMapOptions,
  type RegisterUse,
  registerMap,
} from "./plotly/register-map.js";
export { zoomableGantt } from "./plotly/timeline.js";
export { type PressureOptions, type PressureTrace, pressureChart } from "./pressure.js";
export { CellProgress, type ProgressState, progress, timeText } from "./progress.js";
export type { Png, VegaLiteSpec } from "./render.js";
export { type SourceOptions, type SourceRow, sourcePage } from "./source.js";
export { type Cell, type Row, type TableOptions, table } from "./table.js";
export { code, type StageText, stages, type TextOptions } from "./text.js";
