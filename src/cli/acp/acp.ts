import { serveAcp } from "../../acp/index.ts";
import type { Agent } from "../../app/compose.ts";
import { onSignals } from "../../app/process/signals.ts";
import { EXIT, type Io } from "../../app/process/io.ts";
import { untilAborted } from "../../shared/async/deadline.ts";
import { packageVersion } from "../../app/process/version.ts";

/** The process is over after this, whatever still hangs in it. */
const LAST_MS = 1800;
/** Commands of a cancelled turn get this to end by themselves: the client is answered within two seconds. */
const GRACE_MS = 1000;
/** Milliseconds between two looks whether the parent still lives: it may die without closing anything. */
const PARENT_MS = 500;

/** `agent acp`: serves an editor on stdio until it leaves. Gives the exit code. */
export async function acp(io: Io): Promise<number> {
  const debug = io.env["AGENT_DEBUG"] === "1";
  // Editors take every line on stderr for a failure, and anything else on stdout breaks the protocol.
  const write = io.claimStdout((text) => debug && io.stderr.write(text));
  const leaving = new AbortController();
  let code: number = EXIT.completed;
  const end = (): void => leaving.abort();
  using listening = new DisposableStack();
  listening.use(
    onSignals(io, ["SIGTERM", "SIGHUP", "SIGINT"], (signal) => {
      code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
      end();
    }),
  );
  const parent = io.parentPid();
  const watch = setInterval(() => {
    if (io.parentPid() !== parent) end();
  }, PARENT_MS);
  const opening = open(io);
  let opened: Agent | undefined;
  // The request for a session reports the failure.
  opening.then(
    ({ agent }) => (opened = agent),
    () => undefined,
  );
  try {
    const greeted = await Promise.race([io.greeting, untilAborted(leaving.signal)]);
    await serveAcp(
      opening.then(({ agent }) => agent.host),
      {
        transport: { input: io.stdin, ...greeted, write },
        signal: leaving.signal,
        process: {
          version: packageVersion(),
          readText: async (path, reach, limit) => (await opening).readText(path, reach, limit),
          connectMcp: (servers, request) => opened?.mcp.connectFor(servers, request),
          moreCommands: (cwd) => opened?.commands(cwd) ?? [],
          stopProcesses: async (id) => await (await opening).agent.stopProcesses(id),
        },
      },
    );
  } finally {
    setTimeout(() => io.exit(code), LAST_MS).unref();
    clearInterval(watch);
    io.stdin.destroy();
    await opening.then(
      ({ agent }) => agent[Symbol.asyncDispose](),
      () => undefined,
    );
  }
  return code;
}

/** The parts that take time to load come while the client is greeted. */
async function open(io: Io) {
  const { openAgent } = await import("../../app/compose.ts");
  const { readTextInside } = await import("../../providers/tools/index.ts");
  const { agentFolders } = await import("../../app/config/home.ts");
  const agent = await openAgent(io, { resident: true, graceMs: GRACE_MS });
  const { platform } = io;
  const apart = agentFolders(agent.settings.paths, io.env);
  const readText: Parameters<typeof serveAcp>[1]["process"]["readText"] = (path, reach, limit) =>
    readTextInside(path, { ...reach, apart }, { limit, platform });
  return { agent, readText };
}
