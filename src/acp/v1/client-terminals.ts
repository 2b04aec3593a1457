import { type AgentContext, methods, type TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import type { ClientTerminal, ClientTerminals, TerminalRequest } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { within } from "../../shared/async/deadline.ts";

/** A client that has not made a terminal after this will not. */
const START_MS = 5000;
/** What is said to a terminal is said once more nowhere: a client that hangs must not hang the call. */
const ANSWER_MS = 2000;

export interface TerminalPorts {
  readonly client: AgentContext;
  readonly clock: Clock;
  /** Told of each terminal that a call runs in. */
  readonly shown: (callId: string, terminalId: string) => void;
}

/** The client's terminals. */
export function clientTerminals(sessionId: string, { client, clock, shown }: TerminalPorts): ClientTerminals {
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
            { cancellationSignal: stop, stopWaitingOnCancel: true },
          ),
        );
        // Of what clients answer nothing is checked before.
        if (typeof handle.id !== "string") return undefined;
        shown(callId, handle.id);
        return terminalOf(handle, { clock, signal, client, sessionId });
      } catch {
        // The caller runs the command itself.
        return undefined;
      }
    },
  };
}

interface Around extends Pick<TerminalRequest, "signal"> {
  readonly clock: Clock;
  readonly client: AgentContext;
  readonly sessionId: string;
}

function terminalOf(handle: TerminalHandle, { clock, signal, client, sessionId }: Around): ClientTerminal {
  const inTime = <T>(ask: () => Promise<T>): Promise<T> => within({ clock, ms: ANSWER_MS }, ask);
  const kill = (): void => void inTime(() => handle.kill()).catch(() => undefined);
  signal.addEventListener("abort", kill, { once: true });
  const exited = client
    .request(
      methods.client.terminal.waitForExit,
      { sessionId, terminalId: handle.id },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    )
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
      // Releasing kills what still runs; a client that does not answer has had its chance.
      await inTime(() => handle.release()).catch(() => undefined);
    },
  };
}
