import { HostError } from "../../shared/errors/host-error.ts";
import type { ProcessServer, StartServer } from "../../providers/mcp/index.ts";
import type { Sandbox, Spawner } from "../../providers/tools/index.ts";
import type { SessionSandboxes } from "../sandbox/session-sandboxes.ts";

/** Characters of a server's complaints that are told when it ends. */
const LAST_WORDS = 300;

/** The walls around a server, before it starts; `undefined` for one that starts outside. */
type ServerWalls = (
  server: ProcessServer,
  place: { readonly cwd: string; readonly session: string },
) => Promise<Sandbox | undefined>;

/**
 * Decides which servers start in the sandbox: those of the person's configuration with `sandbox: true`, and all that a
 * client names, where there is a sandbox.
 */
export function serverWalls(
  sandboxes: SessionSandboxes,
  { isOwn }: { readonly isOwn: boolean },
): ServerWalls {
  return async (server, { cwd, session }) => {
    if (isOwn && server.sandbox !== true) return undefined;
    if (!isOwn && sandboxes.settings.backend === "local") return undefined;
    const place = {
      id: `MCP server ${server.name} of ${session}`,
      platform: "library",
      roots: [cwd],
    } as const;
    const opened = await sandboxes.openLasting(place);
    if (opened.available) return opened.sandbox;
    if (!isOwn && sandboxes.settings.backend === "auto") return undefined;
    throw new HostError(
      "tool_failed",
      `It is to run in a sandbox, and there is none: ${opened.reason} ${opened.advice}`,
    );
  };
}

/** Starts MCP servers through the one spawner: they end with their host, whatever ends that. */
export function serverStarter(spawner: Spawner, walls: ServerWalls): StartServer {
  return async ({ server, cwd, session, output, complained }) => {
    const sandbox = await walls(server, { cwd, session });
    const life = new AbortController();
    let complaints = "";
    const child = await spawner.spawn({
      file: server.command,
      args: [...server.args],
      cwd,
      env: server.env,
      label: `MCP server ${server.name}`,
      session,
      writable: true,
      output,
      errors: (chunk) => {
        complaints = (complaints + new TextDecoder().decode(chunk)).slice(-LAST_WORDS);
        complained(chunk.byteLength);
      },
      signal: life.signal,
      sandbox,
    });
    const { input } = child;
    if (input === undefined) throw new HostError("tool_failed", "The server's input is not there.");
    const ended = child.exited.then(
      ({ code, signal }) =>
        `it ended with ${signal ?? `exit code ${code ?? "unknown"}`}. ${complaints.trim()}`.trim(),
      (thrown: unknown) => String(thrown),
    );
    const kill = (): void => life.abort();
    const write = async (text: string): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      input.write(text, (error) => resolve(error === null || error === undefined));
      if (await promise) return;
      // A server that does not read any more is ended; the reason of its end becomes the error.
      kill();
      throw new HostError("tool_failed", await ended);
    };
    return { write, ended, kill };
  };
}
