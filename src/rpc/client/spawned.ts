import { spawn } from "node:child_process";
import { defined } from "../../shared/json/defined.ts";
import { createInterface } from "node:readline";
import type { Connect, TransportEnd } from "./transport.ts";
import { streamTransport } from "./streams.ts";

/** The options of a gateway that is started as a child process. */
export interface SpawnedOptions {
  /** The program; `agent` by default. */
  readonly command?: string;
  /** Its arguments; `["rpc"]` by default. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Its whole environment; this process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The way to a gateway of one's own: a child process that ends with the transport. */
export function spawned({ command = "agent", args = ["rpc"], cwd, env }: SpawnedOptions = {}): Connect {
  return async (listener) => {
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      ...defined({ cwd, env: env && { ...env } }),
    });
    const started = Promise.withResolvers<void>();
    child.once("spawn", started.resolve).once("error", started.reject);
    await started.promise;
    const said: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      if (said.length > SHOWN_LINES) said.shift();
      listener.stderr(line);
    });
    const exited = new Promise<string>((resolve) => {
      child.once("close", (code, signal) => resolve(wordsFor(code, signal, said)));
    });
    const closed = (end: TransportEnd): void => {
      // Its last words say more than the end of its output.
      if (end.reason === "closed") listener.closed(end);
      else void exited.then((reason) => listener.closed({ ...end, reason }));
    };
    return streamTransport({ output: child.stdout, input: child.stdin, listener: { ...listener, closed } });
  };
}

/** Lines of its stderr that explain why it ended. */
const SHOWN_LINES = 5;

function wordsFor(code: number | null, signal: NodeJS.Signals | null, said: readonly string[]): string {
  const how = signal === null ? `it exited with code ${code ?? 0}` : `it was ended by ${signal}`;
  return said.length === 0 ? how : `${how}: ${said.join("\n")}`;
}
