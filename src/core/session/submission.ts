import { defined } from "../../shared/json/defined.ts";
import { textPart } from "../events/content.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent } from "../events/events.ts";
import { type Origin, type Prompt, steerIdOf } from "../events/prompt.ts";
import type { Accepted, BusyMode } from "./prompt-operations.ts";
import type { Services } from "../ports/services.ts";
import type { SessionActor } from "./session-actor.ts";
import { keepProcessAlive } from "../../shared/async/keep-alive.ts";
import { type Events, Turn } from "./turn-handle.ts";

/**
 * A prompt as callers give it: text, or parts. Its id is new in its session, and the host makes one by default; while a
 * prompt of the id waits or runs there, it is that one, and is not taken again. Its questions are asked by default.
 */
export interface Submission extends Partial<Prompt> {
  readonly text?: string;
  /** Aborting it takes the prompt back, or interrupts its turn. The end of a connection is no reason to. */
  readonly signal?: AbortSignal;
  /** The effect while another turn runs; `queue` by default. */
  readonly mode?: BusyMode;
  /** Taken only while the turn of this id is the session's newest and counts; refused as `session_busy` otherwise. */
  readonly onlyAfter?: string;
}

/** A submission that may make its session. */
export interface FirstSubmission extends Submission {
  readonly firstEvents?: readonly DurableEvent[];
}

/**
 * Sends a prompt; returns at once.
 *
 * @param events - the session's events, for readers of the turn
 * @throws HostError `invalid_params` when there is nothing in it
 */
export function submitPrompt(actor: SessionActor, submission: FirstSubmission, events: Events): Turn {
  const { services, waiters } = actor;
  const prompt = promptOf(submission, services);
  const mode = submission.mode ?? "queue";
  const steerId = steerIdOf(prompt.id);
  const unfollow = actor.follow();
  const allowExit = keepProcessAlive();
  const own = waiters.wait(prompt.id);
  const steered = waiters.wait(steerId);
  // Only one of the two is ever looked at.
  for (const promise of [own, steered]) promise.catch(() => undefined);
  const { onlyAfter, firstEvents } = submission;
  const accepted = actor.run("submit", {
    prompt,
    mode,
    steerId,
    turnId: `turn_${services.hex(8)}`,
    ...defined({ onlyAfter, firstEvents }),
  });
  const result = accepted.then(({ status }) => (status === "steered" ? steered : own));
  const ignoreAbort = onAbort(
    submission.signal,
    () => void accepted.then(() => takeBack(actor, prompt)).catch(() => undefined),
  );
  if (mode === "interrupt")
    accepted.then((taken) => interruptFor(actor, taken, prompt.from)).catch(() => undefined);
  const finish = (): void => {
    waiters.forget(prompt.id);
    waiters.forget(steerId);
    ignoreAbort();
    unfollow();
    allowExit();
  };
  result.then(finish, finish);
  return new Turn(prompt.id, { accepted, result }, events);
}

/** The sender where the caller names none: the program that uses the library. */
export const NOBODY: Origin = { surface: "library" };

function promptOf(submission: Submission, { hex }: Services): Prompt {
  const { text = "", parts = [textPart(text)], id = `prompt_${hex(8)}`, from = NOBODY } = submission;
  const {
    questions = { mode: "ask" },
    instructions,
    before,
    memoryScope,
    person,
    iterations,
    tools,
    attended,
  } = submission;
  if (parts.every((part) => part.type === "text" && part.text.trim() === "")) {
    throw new HostError("invalid_params", "The prompt is empty.");
  }
  return {
    id,
    parts,
    from,
    questions,
    ...defined({
      instructions,
      before: before?.length === 0 ? undefined : before,
      memoryScope,
      person,
      iterations,
      tools,
      attended,
    }),
  };
}

function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal?.aborted === true) run();
  signal?.addEventListener("abort", run, { once: true });
  return () => signal?.removeEventListener("abort", run);
}

/** Takes a prompt out of the queue, or interrupts its turn. */
export async function takeBack(
  actor: SessionActor,
  { id, from }: Pick<Prompt, "id" | "from">,
): Promise<void> {
  const { dropped } = await actor.run("drop", { promptIds: [id] });
  if (dropped.length > 0) return;
  const turnId = `turn_${actor.services.hex(8)}`;
  await actor.run("interrupt", { promptId: id, from, keepQueue: true, turnId });
}

/** Stops the running turn, so that the prompt that was queued runs next. */
async function interruptFor(actor: SessionActor, { status }: Accepted, from: Origin): Promise<void> {
  if (status !== "queued") return;
  await actor.run("interrupt", { from, keepQueue: true, turnId: `turn_${actor.services.hex(8)}` });
}
