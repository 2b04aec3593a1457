import { access } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ProcessServer, StartServer } from "../../providers/mcp/index.ts";
import type { Sandbox, Spawner } from "../../providers/tools/index.ts";
import type { SessionSandboxes } from "../sandbox/session-sandboxes.ts";

/** Characters of a server's complaints that are told when it ends: the first mostly say what is wrong. */
const WORDS = { first: 200, last: 200 };

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
    const complaints = new Complaints();
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
        complaints.add(chunk);
        complained(chunk.byteLength);
      },
      signal: life.signal,
      sandbox,
    });
    const { input } = child;
    if (input === undefined) throw new HostError("tool_failed", "The server's input is not there.");
    const ended = child.exited.then(
      async ({ code, signal }) => {
        const end = `it ended with ${signal ?? `exit code ${code ?? "unknown"}`}.`;
        // How it ended is told in any case.
        const lacks = await lacking({ server, cwd, session, sandbox }, spawner).catch(() => "");
        return [end, lacks, complaints.text].filter((words) => words !== "").join(" ");
      },
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

/** The beginning and the end of what a server complained of. */
class Complaints {
  readonly #decoder = new TextDecoder();
  #first = "";
  #last = "";
  #isCut = false;

  add(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    const room = WORDS.first - this.#first.length;
    this.#first += text.slice(0, room);
    const rest = this.#last + text.slice(room);
    this.#isCut ||= rest.length > WORDS.last;
    this.#last = rest.slice(-WORDS.last);
  }

  get text(): string {
    return `${this.#first}${this.#isCut ? " … " : ""}${this.#last}`.toWellFormed().trim();
  }
}

interface WalledServer {
  readonly server: ProcessServer;
  readonly cwd: string;
  readonly session: string;
  readonly sandbox: Sandbox | undefined;
}

/** Says which files that a server is started with are here and not in its sandbox; nothing when there are none. */
async function lacking({ server, cwd, session, sandbox }: WalledServer, spawner: Spawner): Promise<string> {
  if (sandbox === undefined) return "";
  const named = [server.command, ...server.args].filter((word) => isAbsolute(word));
  const looks = await Promise.allSettled(named.map((path) => access(path)));
  const here = named.filter((_path, index) => looks[index]?.status === "fulfilled");
  if (here.length === 0) return "";
  let missing = "";
  const looking = await spawner.spawn({
    file: "/bin/sh",
    args: ["-c", 'for path; do [ -e "$path" ] || printf "%s, " "$path"; done', "sh", ...here],
    cwd,
    label: `MCP server ${server.name}: what its sandbox has`,
    session,
    output: (chunk) => void (missing += new TextDecoder().decode(chunk)),
    // Whoever hears that the server has ended ends what is left of it: this is not.
    signal: new AbortController().signal,
    sandbox,
    readsOnly: true,
  });
  await looking.exited;
  if (missing === "") return "";
  return `It starts in the sandbox, which does not have ${missing.slice(0, -2)}: list the folder in sandbox.readable, or write the server into config.yaml without \`sandbox: true\`, where it starts outside.`;
}
