/** The plugin of JupyterLab: `%%ptx`, `%%sass` and `%%cuda` cells are coloured as what they are, and so are files of PTX, SASS and CUDA C++. */
import { cudaTokenizer, ptxTokenizer, sassTokenizer, type Tokenizer, type WordLists } from "../tokens.js";
import { mode } from "./mode.js";
import type { Extension, Extensions, Languages, Modules, Support } from "./shared.js";

/** A plugin as JupyterLab's application takes it. */
export interface Plugin {
  readonly id: string;
  readonly autoStart: true;
  readonly requires: readonly object[];
  activate(app: unknown, languages: Languages, extensions: Extensions): void;
}

/** The language that the first line with something on it names. */
function headOf(lines: Iterable<string>): string | null {
  for (const line of lines) if (line.trim() !== "") return /^\s*%%(ptx|sass|cuda)\b/.exec(line)?.[1] ?? null;
  return null;
}

/** The plugin over JupyterLab's modules. */
export function plugin(modules: Modules, lists: WordLists): Plugin {
  const { IEditorLanguageRegistry, IEditorExtensionRegistry, EditorExtensionRegistry } =
    modules["@jupyterlab/codemirror"];
  const { StreamLanguage, LanguageSupport } = modules["@codemirror/language"];
  const support = (name: string, tokenize: Tokenizer): Support =>
    new LanguageSupport(StreamLanguage.define(mode(name, tokenize)));
  return {
    id: "ptxlab:cells",
    autoStart: true,
    requires: [IEditorLanguageRegistry, IEditorExtensionRegistry],
    activate(_app, languages, extensions) {
      const ptx = support("ptx", ptxTokenizer(lists));
      const sass = support("sass", sassTokenizer(lists));
      const cuda = support("cuda", cudaTokenizer(lists));
      languages.addLanguage({ name: "ptx", mime: "text/x-ptx", extensions: ["ptx"], support: ptx });
      languages.addLanguage({ name: "sass", mime: "text/x-sass", extensions: ["sass"], support: sass });
      languages.addLanguage({ name: "cuda", mime: "text/x-cuda", extensions: ["cu", "cuh"], support: cuda });
      const known = new Map(Object.entries({ ptx, sass, cuda }));
      extensions.addExtension({
        name: "ptxlab:cells",
        factory: ({ inline, model }) => {
          if (!inline) return null;
          const first = headOf(model.sharedModel.getSource().split("\n"));
          return EditorExtensionRegistry.createImmutableExtension(byFirstLine(modules, known, first));
        },
      });
    },
  };
}

/** The language of a cell by its first line, before the language of the notebook; none where that line names none. */
function byFirstLine(modules: Modules, known: ReadonlyMap<string, Support>, first: string | null): Extension {
  const { Compartment, EditorState, Prec } = modules["@codemirror/state"];
  const compartment = new Compartment();
  const none: Support = [];
  const supportOf = (head: string | null): Support => known.get(head ?? "") ?? none;
  return [
    Prec.high(compartment.of(supportOf(first))),
    EditorState.transactionExtender.of(({ docChanged, newDoc, startState }) => {
      if (!docChanged) return null;
      const wanted = supportOf(headOf(newDoc.iterLines()));
      return wanted === compartment.get(startState) ? null : { effects: compartment.reconfigure(wanted) };
    }),
  ];
}
