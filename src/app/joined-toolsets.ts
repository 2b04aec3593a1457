import type { Toolset } from "../core/index.ts";

/** One list of what several sources give, the same list as long as they give the same: tables are made of it. */
export function joinedToolsets(
  sources: readonly (() => Toolset | readonly Toolset[])[],
): () => readonly Toolset[] {
  let given: readonly (Toolset | readonly Toolset[])[] = [];
  let joined: readonly Toolset[] = [];
  return () => {
    const now = sources.map((source) => source());
    if (now.length !== given.length || now.some((part, place) => part !== given[place])) {
      given = now;
      joined = now.flat();
    }
    return joined;
  };
}
