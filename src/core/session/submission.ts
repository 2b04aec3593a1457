import { defined } from "../../shared/json/defined.ts";
import { textPart, type UserPart } from "../events/content.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent, SessionEvent } from "../events/events.ts";
import type { GivenMessage, Origin, Prompt, QuestionPolicy } from "../events/prompt.ts";
import type { Accepted, BusyMode } from "./prompt-operations.ts";
import type { ReadOptions } from "../log/reader.ts";
import type { Services } from "../ports/services.ts";
import type { SessionActor } from "./session-actor.ts";
import { keepProcessAlive } from "../../shared/async/keep-alive.ts";
import { Turn } from "./turn-handle.ts";

/** A prompt as callers give it: text, or parts. */
export interface Submission {
  readonly text?: string;
  readonly parts?: readonly UserPart[];
  /** Aborting it takes the prompt back, or interrupts its turn. The end of a connection is no reason to. */
  readonly signal?: AbortSignal;
  /** The effect while another turn runs; `queue` by default. */
  readonly mode?: BusyMode;
  readonly from?: Origin;
  /** The treatment of this turn's questions; `ask` by default. */
  readonly questions?: QuestionPolicy;
  /** For this turn only, layered on the session's instructions. */
  readonly instructions?: string;
  /** An id of the caller's choice for the prompt, new in its session; the host makes one by default. */
  readonly id?: string;
  /** Messages from elsewhere that come before it; part of the conversation from this prompt's turn on. */
  readonly before?: readonly GivenMessage[];
  /** The user whose memory the turn reads and writes. */
  readonly memoryScope?: string;
  /** Model calls that its turn may make, where that is fewer than the owner allows. */
  readonly iterations?: number;
  /** The model gets no tools in its turn; the session's by default. */
  readonly tools?: "none";
  /** Taken only while the turn of this id is the session's newest and counts; refused as `session_busy` otherwise. */
  readonly onlyAfter?: string;
}

/** A submission that may make its session. */
export interface FirstSubmission extends Submission {
  /** The session's first rows. */
  readonly firstEvents?: readonly DurableEvent[];
}

type Events = (options: ReadOptions) => AsyncGenerator<SessionEvent, void>;

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
  const steerId = `steer_${services.hex(8)}`;
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

const NOBODY: Origin = { surface: "library" };

function promptOf(submission: Submission, { hex }: Services): Prompt {
  const { id, from, questions, instructions, before, memoryScope, iterations, tools } = submission;
  const given = submission.parts ?? [textPart(submission.text ?? "")];
  if (given.every((part) => part.type === "text" && part.text.trim() === "")) {
    throw new HostError("invalid_params", "The prompt is empty.");
  }
  return {
    id: id ?? `prompt_${hex(8)}`,
    parts: given,
    from: from ?? NOBODY,
    questions: questions ?? { mode: "ask" },
    ...defined({
      instructions,
      before: before?.length === 0 ? undefined : before,
      memoryScope,
      iterations,
      tools,
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
