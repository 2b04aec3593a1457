import { type AgentContext, methods, type TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import type { ClientTerminal, ClientTerminals, TerminalRequest } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { within } from "../../shared/async/deadline.ts";
import { until } from "../session/client-peer.ts";

/** Milliseconds that a client has to make a terminal. */
const START_MS = 5000;
/** Milliseconds that a client has to answer for a terminal: a client that hangs must not hang the call. */
const ANSWER_MS = 2000;

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
  return {
    async start({ callId, command, args, cwd, env, outputLimit, signal }) {
      try {
        const handle = await within({ clock, ms: START_MS, signal }, (stop) =>
          client.createTerminal(
            {
              sessionId,
              command,
              args: [...args],
              cwd,
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
              outputByteLimit: outputLimit,
            },
            until(stop),
          ),
        );
        // The SDK does not check a client's answers.
        if (typeof handle.id !== "string") return undefined;
        started(callId, handle.id);
        return terminalOf(handle, { clock, signal, client, sessionId });
      } catch {
        // The caller runs the command itself.
        return undefined;
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
