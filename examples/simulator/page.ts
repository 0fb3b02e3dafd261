/** The page: reads its fields, runs (run.ts), shows the text. */
import { runPage } from "./run.js";

function field<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
}

const text = (id: string): string => field<HTMLTextAreaElement | HTMLSelectElement>(id).value;
const checked = (id: string): boolean => field<HTMLInputElement>(id).checked;
const [go, stop, out] = [field<HTMLButtonElement>("run"), field<HTMLButtonElement>("stop"), field<HTMLElement>("out")];
let control = new AbortController();

go.addEventListener("click", async () => {
  control = new AbortController();
  go.disabled = true;
  stop.disabled = false;
  out.textContent = "running …";
  const levels = { 0: 0, 1: 1, 2: 2, 3: 3 } as const;
  const opt = levels[text("level") as unknown as keyof typeof levels];
  const { signal } = control;
  const [races, profile] = [checked("races"), checked("profile")];
  const input = { ptx: text("ptx"), launch: text("launch"), target: text("target"), opt, races, profile, signal };
  out.textContent = await runPage(input);
  go.disabled = false;
  stop.disabled = true;
});
stop.addEventListener("click", () => control.abort());
