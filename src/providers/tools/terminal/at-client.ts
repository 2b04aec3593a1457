import { Deadline, untilAborted } from "../../../shared/async/deadline.ts";
import { sleep } from "../../../shared/async/clock.ts";
import type { ClientTerminal, TerminalRequest, ToolContext, ToolResult } from "../../../core/index.ts";
import { toHostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { SpooledOutput } from "../spawn/spooled-output.ts";
import { present } from "./command-result.ts";
import { limitsFor } from "./output-text.ts";

/** Milliseconds that a command gets to end when its turn does, or its time is over. */
const GRACE_MS = 700;

/** A command that runs in a terminal of the client. */
export interface ClientCommand extends Pick<TerminalRequest, "cwd" | "env"> {
  readonly file: string;
  /** The line for it. */
  readonly command: string;
  readonly context: ToolContext;
  /** Seconds. */
  readonly timeout: number;
  /** Characters of the result. */
  readonly limit: number;
  readonly tempDir: string;
}

/**
 * Runs a command in a terminal of the client's, where its user sees it at work. `undefined` when there is none, or it
 * could not be started there.
 *
 * @throws HostError `tool_failed` when the client was lost while it ran, or does not say whether it runs
 */
export async function runAtClient(request: ClientCommand): Promise<ToolResult | undefined> {
  const { context, timeout, limit, tempDir } = request;
  const { clock, signal, terminals, callId } = context;
  using deadline = new Deadline({ clock, ms: timeout * 1000, signal });
  try {
    const { cwd, env, file, command } = request;
    const stop = deadline.signal;
    const outputLimit = limitsFor(limit).tail;
    await using terminal = await terminals?.start({
      callId,
      command: file,
      args: ["-c", command],
      cwd,
      env,
      outputLimit,
      signal: stop,
    });
    if (terminal === undefined) return undefined;
    const exit = await exitOf(terminal, { stop, clock });
    const { text, isCut } = await terminal.output();
    await using output = new SpooledOutput({ limits: limitsFor(limit), cap: 0, tempDir });
    await output.write(Buffer.from(isCut ? `[… the beginning is left out …]\n${text}` : text));
    const end = exit === undefined ? ({ kind: "lost" } as const) : ({ kind: "exited", exit } as const);
    const timedOut = deadline.passed ? { timeout } : {};
    return await present(end, { context, output, refusals: [], limit, ...timedOut });
  } catch (cause) {
    if (toHostError(cause).code === "tool_failed") throw cause;
    throw toolFailed(
      "The client's terminal was lost before the command had ended; look what it did before you repeat it.",
      cause,
    );
  }
}

/** How a command ended; `undefined` when it was told to and has not. */
async function exitOf(
  terminal: ClientTerminal,
  { stop, clock }: { readonly stop: AbortSignal; readonly clock: ToolContext["clock"] },
) {
  const seen = new AbortController();
  const late = async (): Promise<undefined> => {
    await untilAborted(stop, seen.signal);
    await sleep(clock, GRACE_MS, seen.signal);
  };
  try {
    const exited = terminal.exited.then((exit) => ({ ...exit, left: 0 }));
    // A client that was told to kill it may refuse to say how it ended.
    return await Promise.race([stop.aborted ? exited.catch(() => undefined) : exited, late()]);
  } catch (thrown) {
    if (stop.aborted) return undefined;
    throw thrown;
  } finally {
    seen.abort();
  }
}
