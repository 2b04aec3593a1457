import { type AgentContext, methods, type TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import type { ClientTerminal, ClientTerminals, TerminalRequest, ClientFiles } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { within } from "../../shared/async/deadline.ts";
import { toHostError, toolFailed } from "../../shared/errors/host-error.ts";
import { until } from "../session/client-peer.ts";
import { defined } from "../../shared/json/defined.ts";
import type { EnvironmentPorts } from "../session/protocol-version.ts";

/** Milliseconds that a client has to make a terminal. */
const START_MS = 5000;
/** Milliseconds that a client has to answer for a terminal: a client that hangs must not hang the call. */
const ANSWER_MS = 2000;

/** Run here meanwhile, the command could run twice. */
const NO_TERMINAL = `The client did not make a terminal for the command within ${START_MS / 1000} s. It may still have begun there: look what it did before you repeat it. The next commands run without the client's terminals.`;

/** The parts that the client's terminals use. */
export interface TerminalPorts {
  readonly client: AgentContext;
  readonly clock: Clock;
  /** Told of each terminal that a call runs in. */
  readonly started: (callId: string, terminalId: string) => void;
}

/** The client's terminals. */
export function clientTerminals(
  sessionId: string,
  { client, clock, started }: TerminalPorts,
): ClientTerminals {
  let isSilent = false;
  return {
    async start({ callId, command, args, cwd, env, outputLimit, signal }) {
      if (isSilent) return undefined;
      const made = client.createTerminal({
        sessionId,
        command,
        args: [...args],
        cwd,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        outputByteLimit: outputLimit,
      });
      try {
        const handle = await within({ clock, ms: START_MS, signal }, () => made);
        // The SDK does not check a client's answers.
        if (typeof handle.id !== "string") return undefined;
        started(callId, handle.id);
        return terminalOf(handle, { clock, signal, client, sessionId });
      } catch (thrown) {
        // A terminal that comes later is ended with what runs in it.
        made.then((late) => late.release()).catch(() => undefined);
        if (toHostError(thrown).code !== "timeout") return undefined;
        isSilent = true;
        throw toolFailed(NO_TERMINAL, thrown);
      }
    },
  };
}

interface TerminalContext extends Pick<TerminalRequest, "signal"> {
  readonly clock: Clock;
  readonly client: AgentContext;
  readonly sessionId: string;
}

function terminalOf(
  handle: TerminalHandle,
  { clock, signal, client, sessionId }: TerminalContext,
): ClientTerminal {
  const inTime = <T>(ask: () => Promise<T>): Promise<T> => within({ clock, ms: ANSWER_MS }, ask);
  const kill = (): void => void inTime(() => handle.kill()).catch(() => undefined);
  signal.addEventListener("abort", kill, { once: true });
  const exited = client
    .request(methods.client.terminal.waitForExit, { sessionId, terminalId: handle.id }, until(signal))
    .then(({ exitCode, signal: name }) => ({ code: exitCode ?? null, signal: name ?? null }));
  exited.catch(() => undefined);
  return {
    id: handle.id,
    exited,
    async output() {
      const { output, truncated } = await inTime(() => handle.currentOutput());
      return { text: output, isCut: truncated };
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", kill);
      // Releasing kills a command that still runs. A client that does not answer in time is waited for no longer.
      await inTime(() => handle.release()).catch(() => undefined);
    },
  };
}

/** Milliseconds that an editor has to give a text; then the disk is asked instead. */
const READ_MS = 5000;
/** Milliseconds that saving may take: it may format, and wait for servers that do. */
const WRITE_MS = 20_000;

/** The files of the client's editor; `undefined` when it offers none. */
export function clientFiles(
  sessionId: string,
  { client, capabilities, clock }: EnvironmentPorts & { readonly client: AgentContext },
): ClientFiles | undefined {
  const readText: ClientFiles["readText"] = async (path, signal) => {
    try {
      const answer: { readonly content?: unknown } | null = await within(
        { clock, ms: READ_MS, signal },
        (stop) => client.request(methods.client.fs.readTextFile, { sessionId, path }, until(stop)),
      );
      return typeof answer?.content === "string" ? answer.content : undefined;
    } catch {
      // The text on the disk counts.
      return undefined;
    }
  };
  const writeText: ClientFiles["writeText"] = async (path, content, signal) => {
    try {
      await within({ clock, ms: WRITE_MS, signal }, (stop) =>
        client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, until(stop)),
      );
      return true;
    } catch {
      // The caller looks at the disk, and writes there if need be.
      return false;
    }
  };
  const { readFile, writeFile } = capabilities;
  if (!readFile && !writeFile) return undefined;
  return defined({
    readText: readFile ? readText : undefined,
    writeText: writeFile ? writeText : undefined,
  });
}
