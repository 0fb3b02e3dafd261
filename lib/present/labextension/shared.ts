/**
 * What JupyterLab's modules are to the extension: the part of their interfaces that it uses. They come from JupyterLab's
 * own scope of shared modules (webpack's module federation), so that editor and extension have the same CodeMirror.
 */

/** `@codemirror/state` of version 6. */
export interface StateModule {
  readonly Compartment: new () => Compartment;
  readonly EditorState: {
    readonly transactionExtender: {
      of(extend: (tr: Transaction) => { effects: Effect } | null): Extension;
    };
  };
  readonly Prec: { high(extension: Extension): Extension };
}
/** What may stand in an editor's configuration. */
export type Extension = object;
/** A change of state beside the text. */
export type Effect = object;
interface Compartment {
  get(state: State): Extension | undefined;
  of(extension: Extension): Extension;
  reconfigure(extension: Extension): Effect;
}
/** The text of an editor. */
export interface Text {
  iterLines(): Iterable<string>;
}
/** A configuration and a text. */
export interface State {
  readonly doc: Text;
}
interface Transaction {
  readonly docChanged: boolean;
  readonly startState: State;
  readonly newDoc: Text;
}

/** `@codemirror/language` of version 6. */
export interface LanguageModule {
  readonly StreamLanguage: { define(parser: StreamParser): Extension };
  readonly LanguageSupport: new (language: Extension) => Support;
}
/** A language as an editor takes it. */
export type Support = Extension;
/** What a line is read by. */
export interface Stream {
  readonly string: string;
  pos: number;
  sol(): boolean;
  skipToEnd(): void;
}
/** A language that is read from left to right, one line after the other. */
export interface StreamParser {
  readonly name: string;
  startState(): ModeState;
  copyState(state: ModeState): ModeState;
  token(stream: Stream, state: ModeState): string | null;
  readonly languageData: object;
}
/** Where in a line a parser is. */
export interface ModeState {
  /** Inside of a comment that began on an earlier line. */
  comment: boolean;
  /** Ends of the words of this line that are still to come, and CodeMirror's names for them. */
  rest: readonly { readonly end: number; readonly style: string | null }[];
}

/** `@jupyterlab/codemirror` of version 4. */
export interface EditorModule {
  readonly IEditorLanguageRegistry: object;
  readonly IEditorExtensionRegistry: object;
  readonly EditorExtensionRegistry: { createImmutableExtension(extension: Extension): object };
}
/** The service `IEditorLanguageRegistry`. */
export interface Languages {
  addLanguage(language: { name: string; mime: string; extensions: readonly string[]; support: Support }): void;
}
/** The service `IEditorExtensionRegistry`. */
export interface Extensions {
  addExtension(extension: { name: string; factory(options: EditorOptions): object | null }): void;
}
interface EditorOptions {
  /** A cell, not a file. */
  readonly inline: boolean;
  readonly model: { readonly sharedModel: { getSource(): string } };
}

/** All modules that the extension takes. */
export interface Modules {
  readonly "@codemirror/state": StateModule;
  readonly "@codemirror/language": LanguageModule;
  readonly "@jupyterlab/codemirror": EditorModule;
}

/** Module name → version → where it is had. */
export type ShareScope = Readonly<Record<string, Readonly<Record<string, Shared>>>>;
interface Shared {
  get(): Promise<() => unknown>;
  readonly loaded?: number | boolean;
}

/** The modules of that scope; of several versions of one the one that is loaded. */
export async function modulesOf(scope: ShareScope): Promise<Modules> {
  const load = async (name: keyof Modules): Promise<unknown> => {
    const versions = Object.values(scope[name] ?? {});
    const shared = versions.find((v) => v.loaded) ?? versions[0];
    if (shared === undefined) throw new Error(`ptxlab: JupyterLab does not share ${name}`);
    return (await shared.get())();
  };
  const [state, language, editor] = await Promise.all([
    load("@codemirror/state"),
    load("@codemirror/language"),
    load("@jupyterlab/codemirror"),
  ]);
  return {
    "@codemirror/state": state as StateModule,
    "@codemirror/language": language as LanguageModule,
    "@jupyterlab/codemirror": editor as EditorModule,
  };
}
