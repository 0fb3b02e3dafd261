/** Where a text stops being JSON (RFC 8259), said the same by every engine. */

/** Offset of the first character that cannot stand there, the length of the text when it ends too soon; −1 for valid JSON. */
export function jsonError(text: string): number {
  const token =
    /[ \t\n\r]*(?:(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-]))|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|([[\]{},:])|)/y;
  let at = 0;
  let start = 0;
  const next = (): string => {
    token.lastIndex = at;
    const found = token.exec(text)!;
    at = token.lastIndex;
    const word = found[1] ?? found[2] ?? found[3] ?? "";
    start = at - word.length;
    return found[1] !== undefined ? "v" : found[2] !== undefined ? "s" : word;
  };
  // Open brackets, innermost last; what may come: a value, a key, a comma or the end of what is open.
  const open: string[] = [];
  let want: "value" | "first" | "key" | "firstKey" | "colon" | "more" = "value";
  for (;;) {
    const t = next();
    if (want === "more") {
      const last = open.at(-1);
      if (last === undefined) return t === "" && start === text.length ? -1 : start;
      if (t === ",") want = last === "[" ? "value" : "key";
      else if (t === (last === "[" ? "]" : "}")) open.pop();
      else return start;
    } else if (want === "colon") {
      if (t !== ":") return start;
      want = "value";
    } else if (want === "key" || want === "firstKey") {
      if (t === "}" && want === "firstKey") {
        open.pop();
        want = "more";
      } else if (t === "s") want = "colon";
      else return start;
    } else if (t === "v" || t === "s") want = "more";
    else if (t === "[" || t === "{") {
      open.push(t);
      want = t === "[" ? "first" : "firstKey";
    } else if (t === "]" && want === "first") {
      open.pop();
      want = "more";
    } else return start;
  }
}
