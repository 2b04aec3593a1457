import { tmpdir } from "node:os";
import { sendsFiles } from "../chat/names.ts";
import type { Store, Toolset } from "../core/index.ts";
import type { Clock } from "../shared/async/clock.ts";
import {
  type BackgroundProcesses,
  type CommandSites,
  builtinToolsets,
  type FileChats,
  type ImagesFor,
  type Machine,
  type Spawner,
} from "../providers/tools/index.ts";
import { agentFolders } from "./config/home.ts";
import type { LiveSettings } from "./config/live-settings.ts";
import { imageSource } from "./web/image-source.ts";
import { sessionFetchers, webToolsets } from "./web/fetchers.ts";

/** The services that tools use. */
export interface ToolParts {
  readonly clock: Clock;
  /** The sessions that can be searched. */
  readonly store: Pick<Store, "search">;
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly background: BackgroundProcesses;
  readonly sites: CommandSites;
  /** The documents of the home. */
  readonly kb: { toolsets(): readonly Toolset[] };
  readonly knowledge: { readonly toolsets: readonly Toolset[] };
  /** The connections to the configured MCP servers. */
  readonly mcp: { toolsets(): readonly Toolset[] };
}

/** Characters of one result: a tool cuts with more sense than the core does, so that it comes first. */
export const toolOutputLimit = (live: LiveSettings): number =>
  Math.ceil(0.97 * live.current.policy.limits.toolOutput);

/** The toolsets of a process, as they are configured now. */
export function agentToolsets(live: LiveSettings, parts: ToolParts): () => readonly Toolset[] {
  const { clock, mcp, kb, knowledge, sites } = parts;
  const outputLimit = toolOutputLimit(live);
  const fetcherFor = sessionFetchers(live, clock);
  const imagesFor: ImagesFor = ({ session, mayReach }) => imageSource(fetcherFor(session), mayReach);
  const apart = agentFolders(live.current.paths, live.env);
  const builtin = builtinToolsets({
    ...parts,
    apart,
    sites,
    environment: live.commandVariables,
    tempDir: tmpdir(),
    outputLimit,
    imagesFor,
    chats: FILE_CHATS,
    sessions: parts.store,
  });
  return joinedToolsets([
    () => builtin,
    () => knowledge.toolsets,
    webToolsets(live, { clock, fetcherFor, outputLimit }),
    () => kb.toolsets(),
    () => mcp.toolsets(),
  ]);
}

/** Chat platforms are loaded for the first file that goes out. */
const FILE_CHATS: FileChats = {
  takes: sendsFiles,
  async largest(name) {
    const { CHAT_PLATFORMS } = await import("../chat/index.ts");
    return CHAT_PLATFORMS.find((platform) => platform.name === name)?.limits.fileOut ?? 0;
  },
};

/** One list of what several sources give, the same list as long as they give the same: tables are made of it. */
function joinedToolsets(sources: readonly (() => Toolset | readonly Toolset[])[]): () => readonly Toolset[] {
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
