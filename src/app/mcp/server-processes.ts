import { HostError } from "../../shared/errors/host-error.ts";
import type { StartServer } from "../../providers/mcp/index.ts";
import type { Spawner } from "../../providers/tools/index.ts";

/** Characters of a server's complaints that are told when it ends. */
const LAST_WORDS = 300;

/** Starts MCP servers through the one spawner: they end with their host, whatever ends that. */
export function serverStarter(spawner: Spawner): StartServer {
  return async ({ server, cwd, session, output, complained }) => {
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
