/** What `run` and `estimate` say of files that cannot be used: which one, and where. */
import type { LaunchFileResult } from "../sim/index.js";
import { jsonPlaces } from "./json-place.js";
import { type JsonFile, placeIn } from "./usage.js";

/** The message of a result of status 2 after the file that it is about, in a launch file with line and column. */
export function unusableText({ about, json }: LaunchFileResult, cubin: string, launch: JsonFile): string {
  const message = json.error ?? "";
  return about === "cubin" ? `${cubin}: ${message}` : `${placeOf(message, launch)}: ${message}`;
}

/** Where the innermost value stands whose path the message begins with. */
function placeOf(message: string, { path, text }: JsonFile): string {
  let longest = "";
  let at = 0;
  for (const [name, offset] of jsonPlaces(text)) {
    if (name.length < longest.length || !message.startsWith(name) || !/[:.[]/.test(message[name.length] ?? ":"))
      continue;
    longest = name;
    at = offset;
  }
  return placeIn(path, text, at);
}
