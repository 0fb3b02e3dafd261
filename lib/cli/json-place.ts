/** Where the values of a JSON text stand, by the paths that messages name them with (`buffers.x.fill`, `launches[0].grid`). */

/** Offset of each value's first character by its path, that of the whole text under "". The text is valid JSON. */
export function jsonPlaces(text: string): Map<string, number> {
  const places = new Map<string, number>();
  const token = /[ \t\n\r]*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/y;
  const next = (): { word: string; at: number } => {
    const found = token.exec(text)!;
    return { word: found[1]!, at: token.lastIndex - found[1]!.length };
  };
  // Brackets that are open, innermost last: their path, and the number of the element in lists.
  const open: { readonly path: string; index: number }[] = [];
  let path = "";
  for (let end = false; !end; ) {
    const { word, at } = next();
    places.set(path, at);
    if (word === "{" || word === "[") {
      open.push({ path, index: word === "[" ? 0 : -1 });
      const first = token.lastIndex;
      const inner = next().word;
      if (inner !== "}" && inner !== "]") {
        token.lastIndex = first;
        path = elementPath(open.at(-1)!, next);
        continue;
      }
      open.pop();
    }
    // What comes after a value: the end of brackets, a comma, or the end.
    for (;;) {
      const inside = open.at(-1);
      if (inside === undefined) {
        end = true;
        break;
      }
      if (next().word === ",") {
        if (inside.index >= 0) inside.index++;
        path = elementPath(inside, next);
        break;
      }
      open.pop();
    }
  }
  return places;
}

/** The path of the element that begins; of an object's, the key and the colon are after the reader then. */
function elementPath(
  { path, index }: { readonly path: string; readonly index: number },
  next: () => { readonly word: string },
): string {
  if (index >= 0) return `${path}[${index}]`;
  const key = JSON.parse(next().word) as string;
  next();
  return path === "" ? key : `${path}.${key}`;
}
