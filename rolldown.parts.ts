import { resolve } from "node:path";
import type { ModuleInfo } from "rolldown";

/** The modules that each part is for, with all that they import. */
type Parts = Readonly<Record<string, readonly string[]>>;

/** The doors of the package, of which a program imports some; the command loads most of them at once. */
const DOORS: Parts = {
  client: ["src/rpc/client/index.ts"],
  core: ["src/core/index.ts"],
  store: ["src/providers/store/index.ts"],
  models: ["src/providers/models/index.ts"],
  tools: ["src/providers/tools/index.ts"],
  doors: ["acp", "rpc", "http", "providers/web", "providers/fetch"].map((door) => `src/${door}/index.ts`),
};

/** What every command that runs an agent loads at once. */
const AGENT = ["src/cli/main.ts", "src/cli/program.ts", "src/app/compose.ts"];
/** Its parts that are loaded before it is known which command runs. */
const BEGINNING: Parts = {
  early: ["src/cli/main.ts", "src/app/reaper/main.ts"],
  program: ["src/cli/program.ts"],
};
/** Modules that several commands load, each too small for a file of its own. */
const SMALL = ["src/jsonrpc/index.ts", "src/app/process/signals.ts", "src/shared/union/by-type.ts"];
/** The editors' surface, of which only the draft of version 2 is rarely loaded. */
const EDITORS = ["src/cli/acp/acp.ts"];
const RARE = /experimental-v2|\/sdk\/dist\/v2\//;

type ModuleGraph = Readonly<{ getModuleInfo(id: string): ModuleInfo | null }>;
/** Says which part a module goes into; into a file that the bundler chooses without. */
type PartOf = (id: string, graph: ModuleGraph) => string | null;

function loadedWith(roots: readonly string[], graph: ModuleGraph): ReadonlySet<string> {
  const loaded = new Set(roots.map((root) => resolve(root)));
  for (const id of loaded) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) loaded.add(next);
  return loaded;
}

function firstOf(parts: Parts, graph: ModuleGraph): (id: string) => string | undefined {
  const loaded = Object.entries(parts).map(([name, roots]) => ({ name, ids: loadedWith(roots, graph) }));
  return (id) => loaded.find(({ ids }) => ids.has(id))?.name;
}

/**
 * Puts a module of the package with the first door that needs it, so that a program that imports one door loads little else;
 * what clients share with the core goes into `base`.
 */
export function partOfLibrary(): PartOf {
  let door: ReturnType<typeof firstOf>;
  let core: ReadonlySet<string>;
  return (id, graph) => {
    door ??= firstOf(DOORS, graph);
    core ??= loadedWith(DOORS["core"] ?? [], graph);
    const first = door(id);
    return first === "client" && core.has(id) ? "base" : (first ?? null);
  };
}

/**
 * Puts what an agent loads at once into few files: to open eighty small ones costs more than all they say. A module goes
 * with the first part that needs it, so that other commands load little else; a module that the beginning shares with the
 * core or with clients goes into `base`.
 */
export function partOfCommand(): PartOf {
  let agent: ReadonlySet<string>;
  let beginning: ReturnType<typeof firstOf>;
  let door: ReturnType<typeof firstOf>;
  let small: ReadonlySet<string>;
  let editors: ReadonlySet<string>;
  return (id, graph) => {
    agent ??= loadedWith(AGENT, graph);
    beginning ??= firstOf(BEGINNING, graph);
    door ??= firstOf(DOORS, graph);
    small ??= loadedWith(SMALL, graph);
    editors ??= loadedWith(EDITORS, graph);
    if (small.has(id)) return "base";
    if (!agent.has(id)) return editors.has(id) && !RARE.test(id) ? "editors" : null;
    const first = beginning(id);
    const shared = door(id);
    const isBase = first !== undefined && (shared === "client" || shared === "core");
    return isBase ? "base" : (first ?? shared ?? "agent");
  };
}
