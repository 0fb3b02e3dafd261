/** A container of webpack's module federation, as JupyterLab loads prebuilt extensions: `init` hands over the shared modules, `get` the plugin. */
import type { WordLists } from "../tokens.js";
import { type Plugin, plugin } from "./plugin.js";
import { modulesOf, type ShareScope } from "./shared.js";

/** What JupyterLab finds under the extension's name. */
export interface Container {
  init(scope: ShareScope): void;
  get(module: string): Promise<() => { readonly __esModule: true; readonly default: Plugin }>;
}

/** The container with the words that it colours. */
export function container(lists: WordLists): Container {
  let shared: ShareScope = {};
  return {
    init(scope) {
      shared = scope;
    },
    async get(module) {
      if (module !== "./extension") throw new Error(`ptxlab has no module ${module}`);
      const made = plugin(await modulesOf(shared), lists);
      // By this name JupyterLab knows a module from a plugin.
      return () => ({ __esModule: true, default: made });
    },
  };
}
