import type { Dependence, FileName } from "../types.js";
import pRaw from "./p-raw.js";
import pWar from "./p-war.js";
import pWaw from "./p-waw.js";
import rRaw from "./r-raw.js";
import rWar from "./r-war.js";
import rWaw from "./r-waw.js";
import upRaw from "./up-raw.js";
import upWar from "./up-war.js";
import upWaw from "./up-waw.js";
import urRaw from "./ur-raw.js";
import urWar from "./ur-war.js";
import urWaw from "./ur-waw.js";

/** The tables as text, by register file and kind of dependence. */
export const cellTexts: Readonly<Record<FileName, Readonly<Record<Dependence, string>>>> = {
  R: { raw: rRaw, waw: rWaw, war: rWar },
  P: { raw: pRaw, waw: pWaw, war: pWar },
  UR: { raw: urRaw, waw: urWaw, war: urWar },
  UP: { raw: upRaw, waw: upWaw, war: upWar },
};
