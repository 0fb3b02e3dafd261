/**
 * node tools/api-sentences.cjs: holds the public API (typedoc.json) against the rule that everything in it has its sentence: counts by kind,
 * what has none or one that repeats its name, and what typedoc warns of (links, types that are not exported). Status 1 when there is any.
 * A property that can hold one word or truth alone (`kind: "scan"`, `ok: true`) and texts of a table say themselves what they are.
 */
const { Application, Comment, ReflectionKind: Kind } = require("typedoc");

const asked =
  Kind.Variable |
  Kind.Function |
  Kind.Class |
  Kind.Interface |
  Kind.Property |
  Kind.Method |
  Kind.Accessor |
  Kind.TypeAlias;

/** The comments of a declaration: of a function those of its signatures, of a value that is a function also those of its type. */
function comments(r) {
  if (r.signatures) return r.signatures.map((s) => s.comment);
  if (r.hasComment()) return [r.comment];
  if (r.getSignature) return [r.getSignature.comment];
  const called = r.type?.type === "reflection" ? r.type.declaration.signatures : undefined;
  return called ? called.map((s) => s.comment) : [undefined];
}

/** `kind: "scan"`: the value is the text. Numbers need a sentence. */
const saysItself = (r) =>
  r.kind === Kind.Property && r.type?.type === "literal" && typeof r.type.value !== "number" && r.type.value !== null;

const words = (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
const empty = new Set(["the", "a", "an", "of", "its", "this", "is", "which", "that"]);

/** Nothing but the name's own words. */
function repeats(r, text) {
  const own = new Set(words(r.name.replace(/([a-z])([A-Z])/g, "$1 $2")));
  return words(text).every((w) => empty.has(w) || own.has(w));
}

async function main() {
  const app = await Application.bootstrapWithPlugins({
    logLevel: "Warn",
    disableSources: false,
    disableGit: true,
    sourceLinkTemplate: "{path}#{line}",
  });
  const project = await app.convert();
  if (!project) return 2;
  app.validate(project);
  const counts = new Map();
  const found = new Set();
  for (const r of Object.values(project.reflections)) {
    const sources = r.sources ?? r.signatures?.[0]?.sources ?? r.getSignature?.sources ?? [];
    // What a class inherits from the language is documented there.
    if (r === project || !(r.kind & asked) || sources.every((s) => s.fullFileName.includes("node_modules"))) continue;
    const texts = comments(r).map((c) => (c ? Comment.combineDisplayParts(c.summary).trim() : ""));
    const good = saysItself(r) || (texts.every((t) => t !== "") && !texts.some((t) => repeats(r, t)));
    const count = counts.get(Kind[r.kind]) ?? { good: 0, all: 0 };
    counts.set(Kind[r.kind], { good: count.good + Number(good), all: count.all + 1 });
    if (!good) found.add(`${sources[0].fileName}:${sources[0].line} ${r.getFullName()}`);
  }
  for (const [kind, { good, all }] of [...counts].sort()) console.log(`${kind}: ${good} of ${all}`);
  for (const f of [...found].sort()) console.log(`no sentence: ${f}`);
  console.log(`warnings: ${app.logger.warningCount + app.logger.errorCount}`);
  return found.size + app.logger.warningCount + app.logger.errorCount === 0 ? 0 : 1;
}

main().then((status) => {
  process.exitCode = status;
});
