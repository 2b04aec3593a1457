import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoints, type HostError, toHostError } from "../core/index.ts";
import type { CheckpointOptions } from "../providers/checkpoints/index.ts";
import type { BackgroundProcesses, Machine } from "../providers/tools/index.ts";
import { checkpointSettings } from "./config/checkpoints.ts";
import { agentFolders, personHome } from "./config/home.ts";
import type { LiveSettings } from "./config/live-settings.ts";

/** The parts of a process that checkpoints need. */
interface CheckpointParts {
  readonly live: LiveSettings;
  readonly machine: Machine;
  readonly background: BackgroundProcesses;
  /** The process stays. */
  readonly resident: boolean;
  /** Told of what failed and stopped nobody. */
  readonly report: (error: HostError) => void;
}

/** The checkpoints of a home; `undefined` when its owner does not want any. @throws HostError `config_invalid` */
export function homeCheckpoints({
  live,
  machine,
  background,
  resident,
  report,
}: CheckpointParts): LazyCheckpoints | undefined {
  const { paths } = live.current;
  const wanted = checkpointSettings(live.current);
  if (wanted === undefined) return undefined;
  const { platform, pid } = machine;
  const places = { apart: agentFolders(paths, live.env), personHome: personHome(live.env) };
  const running = (): readonly string[] => background.sessions();
  const options = { home: paths.home, ...places, ...wanted, platform, pid, running, report };
  return lazyCheckpoints(options, { early: resident });
}

/** Checkpoints that are loaded when a session has a file to keep, or somebody asks for one. */
interface LazyCheckpoints extends Checkpoints, AsyncDisposable {}

/**
 * @param early - the process stays: it looks at a workspace while the model thinks. One that does not, such as `agent run`,
 * waits until a tool is called
 */
function lazyCheckpoints(
  options: CheckpointOptions,
  { early }: { readonly early: boolean },
): LazyCheckpoints {
  let opened: Promise<LazyCheckpoints> | undefined;
  // A home in which nothing was kept yet has nothing to tell.
  const isThere = (): boolean => opened !== undefined || existsSync(join(options.home, "checkpoints"));
  const open = (): Promise<LazyCheckpoints> => {
    opened ??= import("../providers/checkpoints/index.ts").then(({ openCheckpoints }) =>
      openCheckpoints(options),
    );
    return opened;
  };
  const openToKeep = async (): Promise<LazyCheckpoints | undefined> => {
    try {
      return await open();
    } catch (thrown) {
      // As with all that goes wrong here, a call of a tool is not stopped for want of a way back.
      options.report(toHostError(thrown));
      return undefined;
    }
  };
  return {
    prepare(roots, before) {
      if (before === "turn" && !early) return;
      open().then(
        (checkpoints) => checkpoints.prepare(roots, before),
        // What is wrong is told when there is something to keep.
        () => undefined,
      );
    },
    before: async (change) => (await openToKeep())?.before(change) ?? [],
    after: async (mark, goesOn) => (await openToKeep())?.after(mark, goesOn),
    turns: async (session) => (isThere() ? (await open()).turns(session) : []),
    diff: async (past, limit) => (await open()).diff(past, limit),
    preview: async (wish) => (await open()).preview(wish),
    restore: async (wish) => (await open()).restore(wish),
    async copy(from, to, upTo) {
      if (isThere()) await (await open()).copy(from, to, upTo);
    },
    async forget(session) {
      if (isThere()) await (await open()).forget(session);
    },
    async [Symbol.asyncDispose]() {
      const checkpoints = await opened?.catch(() => undefined);
      await checkpoints?.[Symbol.asyncDispose]();
    },
  };
}
