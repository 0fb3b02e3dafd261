/** Progress of sweeps, searches and studies in the cell that runs them. */
import { CellProgress } from "../view/index.js";

/** What shows the work in a cell; undefined where that is not wanted. */
export function cellProgress(
  options: { readonly progress?: boolean },
  title: string,
  unit: string,
  total: number,
  known = 0,
): CellProgress | undefined {
  return options.progress === false ? undefined : new CellProgress(title, unit, total, known);
}
