import { defined } from "../shared/json/defined.ts";
import { HostError } from "../shared/errors/host-error.ts";
import type { SessionEvent } from "./events/events.ts";
import type { Host } from "./host.ts";
import type { OpenOptions } from "./session/open-options.ts";
import type { Submission } from "./session/submission.ts";
import type { Session } from "./session.ts";
import type { TurnResult } from "./session/turn-waiters.ts";
import { NO_USAGE } from "./events/usage.ts";

/** A piece of work that is done once, whichever process is asked and how often. */
export interface OnceOptions {
  /** With the id of the session, which stands for the work: it is done once for each id. */
  readonly open: OpenOptions & { readonly id: string };
  readonly submission: Submission;
  /** Told of every event of the turn. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Ends the waiting; the turn goes on. */
  readonly signal: AbortSignal;
}

/** The end of a session's first turn. */
export type OnceResult = Pick<TurnResult, "outcome" | "text" | "usage" | "error">;

/**
 * Runs a prompt in a session of its own, once, however often it is asked for: when the session exists already, also from
 * before a crash, its turn is followed to its end. Work that is recorded elsewhere first is so done exactly once.
 *
 * @throws HostError `interrupted` when `signal` aborts or the host closes first; whatever opening a session throws
 */
export async function runOnce(host: Host, options: OnceOptions): Promise<OnceResult> {
  const session = await beginOnce(host, options);
  let text = "";
  let promptId: string | undefined;
  for await (const event of session.events({ after: 0, signal: options.signal })) {
    options.onEvent?.(event);
    if (event.type === "message.complete") text = event.text;
    if (event.type === "prompt.queued" || event.type === "turn.start") promptId ??= event.prompt.id;
    // Somebody may have asked more in the session, and taken that back.
    const isDropped = event.type === "prompt.dropped" && event.promptIds.some((id) => id === promptId);
    if (isDropped) return { outcome: "cancelled", text: "", usage: NO_USAGE };
    if (event.type !== "turn.end") continue;
    const { outcome, usage, error } = event;
    return { outcome, text, usage, ...defined({ error }) };
  }
  throw new HostError("interrupted", `Session ${session.id} goes on without this process.`);
}

async function beginOnce(host: Host, { open, submission }: OnceOptions): Promise<Session> {
  try {
    return (await host.begin(open, submission)).session;
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "session_exists") throw thrown;
  }
  const session = await host.session(open.id);
  const { queue } = await session.refresh();
  // Prompts that a crash left held are confirmed: this caller wants them to run.
  const held = queue.filter((queued) => queued.held).map(({ prompt }) => prompt.id);
  if (held.length > 0) await session.confirm(held);
  return session;
}
