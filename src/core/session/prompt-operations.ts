import { stoppedWords } from "../../shared/text/surface-words.ts";
import { promptText } from "../events/content.ts";
import type { DurableEvent } from "../events/events.ts";
import type { Origin, Prompt } from "../events/prompt.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import { cancelQuestions } from "../questions/resolution-rows.ts";
import { nextPrompt } from "../state/queue.ts";
import { coversSeq, type QueuedPrompt, type SessionState } from "../state/state.ts";
import { turnEndRows, turnStartRows } from "../turn/turn-rows.ts";

/** The effect of a second prompt while a turn runs. */
export type BusyMode = "queue" | "steer" | "interrupt" | "refuse";

/** The state of a prompt once it is taken. `after`: the cursor before anything of it. */
export interface Accepted {
  readonly status: "started" | "queued" | "steered";
  readonly after: number;
  readonly turnId?: string;
  /** Prompts before this one. */
  readonly position: number;
}

/** The effect of an interruption. */
export interface Interrupted {
  readonly interrupted: boolean;
  readonly turnId?: string;
  /** Who stopped it, for people. */
  readonly reason?: string;
  /** The surface where it was stopped. */
  readonly stoppedBy?: string;
  /** Texts of queued prompts that were taken back. */
  readonly dropped: readonly string[];
}

interface Submitted {
  readonly prompt: Prompt;
  readonly mode: BusyMode;
  readonly turnId: string;
  readonly steerId: string;
  /** The turn that must be the newest, and still count. */
  readonly onlyAfter?: string;
  /** The first rows of a session that is not there yet. */
  readonly firstEvents?: readonly DurableEvent[];
}

interface Steer {
  readonly steerId: string;
  readonly text: string;
  readonly from: Origin;
}

/** A request to stop the running turn, or the turn of one prompt. */
interface Interruption {
  readonly from: Origin;
  /** Its sender sits at a terminal: what was queued at another one is theirs too, whose window may be gone. */
  readonly attended?: true;
  readonly keepQueue: boolean;
  readonly promptId?: string;
  /** For the queued prompt that runs next, where nobody else starts it. */
  readonly turnId: string;
}

/** The room for turns of the host that decides. */
interface Room {
  readonly mustWait: () => boolean;
}

/** Starts a turn, or does with the prompt what was wanted while another one runs. @throws HostError `session_busy` */
export function submit(
  { state }: LogView,
  { prompt, mode, turnId, steerId, onlyAfter, firstEvents = [] }: Submitted,
  { mustWait }: Room,
): Decision<Accepted> {
  const taken = promptPlace(state, prompt.id);
  if (taken !== undefined) return { events: [], value: taken };
  if (onlyAfter !== undefined) checkNewest(state, onlyAfter);
  const after = state.seq;
  const waiting = waitingIn(state.queue);
  if (state.turn === undefined) {
    const first = nextPrompt(state);
    if (mustWait()) {
      const value = { status: "queued", after, position: waiting } as const;
      return { events: [...firstEvents, { type: "prompt.queued", prompt }], value, lease: "give" };
    }
    if (first === undefined) {
      const value = { status: "started", after, turnId, position: 0 } as const;
      return { events: [...firstEvents, ...turnStartRows(turnId, prompt)], value, lease: "take" };
    }
    // Prompts that nobody drove so far go first.
    const events: DurableEvent[] = [{ type: "prompt.queued", prompt }, ...turnStartRows(turnId, first)];
    return { events, value: { status: "queued", after, position: waiting }, lease: "take" };
  }
  switch (steers(prompt) || mode !== "steer" ? mode : "queue") {
    case "refuse":
      throw busy(state, "take a prompt");
    case "steer": {
      const { turnId: running } = state.turn;
      const event = steerEvent(running, { steerId, text: promptText(prompt.parts), from: prompt.from });
      return { events: [event], value: { status: "steered", after, turnId: running, position: 0 } };
    }
    case "queue":
    case "interrupt":
      return {
        events: [{ type: "prompt.queued", prompt }],
        value: { status: "queued", after, position: waiting + 1 },
      };
  }
}

const waitingIn = (queue: readonly QueuedPrompt[]): number => queue.filter(({ held }) => !held).length;

/** The place of a prompt that waits or runs: somebody who did not hear of it sends it again, maybe through another process. */
export function promptPlace({ turn, queue, seq }: SessionState, promptId: string): Accepted | undefined {
  if (turn?.prompt.id === promptId)
    return { status: "started", after: turn.from, turnId: turn.turnId, position: 0 };
  const place = queue.findIndex(({ prompt }) => prompt.id === promptId);
  if (place < 0) return undefined;
  const position = waitingIn(queue.slice(0, place)) + (turn === undefined ? 0 : 1);
  return { status: "queued", after: seq, position };
}

/** Whether a prompt can go into a running turn: words can, and files that they name; the rest waits for its own turn. */
const steers = ({ parts }: Prompt): boolean =>
  parts.every((part) => part.type === "text" || (part.type === "resource" && part.aside === "file"));

/** @throws HostError `session_busy` when the conversation has gone on, or back, since that turn */
function checkNewest(state: SessionState, turnId: string): void {
  const { turn, lastTurn, queue, undone } = state;
  const counts = lastTurn !== undefined && !coversSeq(undone, lastTurn.to);
  if (turn === undefined && queue.length === 0 && counts && lastTurn.turnId === turnId) return;
  const message = `The conversation has gone on since turn ${turnId}; branch it there instead.`;
  throw new HostError("session_busy", message, { details: { subject: turnId } });
}

/** Adds text to the running turn. */
export function steer({ state }: LogView, input: Steer): Decision<{ accepted: boolean }> {
  const { turn } = state;
  if (turn === undefined) return { events: [], value: { accepted: false } };
  return { events: [steerEvent(turn.turnId, input)], value: { accepted: true } };
}

const steerEvent = (turnId: string, { steerId, text, from }: Steer): DurableEvent => ({
  type: "steer.accepted",
  turnId,
  steerId,
  text,
  from,
});

/** Stops the running turn, and takes back what the same client, or the person at the terminal, had queued. */
export function interrupt(view: LogView, input: Interruption, { mustWait }: Room): Decision<Interrupted> {
  const { state } = view;
  const { from, attended, keepQueue, promptId, turnId } = input;
  const isMine = ({ prompt }: QueuedPrompt): boolean =>
    sameClient(prompt.from, from) || (attended === true && prompt.attended === true);
  const mine = keepQueue ? [] : state.queue.filter(isMine);
  const { events: drop, texts: dropped } = dropRows(mine, "interrupted");
  const { turn } = state;
  if (turn === undefined || (promptId !== undefined && turn.prompt.id !== promptId)) {
    return { events: drop, value: { interrupted: false, dropped } };
  }
  const reason = stoppedWords(from.surface);
  const stoppedBy = from.surface;
  const value = { interrupted: true, turnId: turn.turnId, reason, stoppedBy, dropped };
  if (view.holdsLease)
    return { events: [...drop, ...cancelQuestions(state, "the turn was interrupted")], value };
  // A parked turn has no driver to stop: it ends here, and what was queued behind it begins.
  const ended = [...drop, ...turnEndRows(view, { outcome: "cancelled", reason, stoppedBy })];
  const prompt = nextPrompt({ queue: state.queue.filter((entry) => !mine.includes(entry)) });
  if (prompt === undefined) return { events: ended, value };
  if (mustWait()) return { events: ended, value, lease: "give" };
  return { events: [...ended, ...turnStartRows(turnId, prompt)], value, lease: "take" };
}

const sameClient = (a: Origin, b: Origin): boolean => a.surface === b.surface && a.client === b.client;

/** Takes prompts out of the queue. */
export function drop(
  { state }: LogView,
  { promptIds }: { readonly promptIds: readonly string[] },
): Decision<{ dropped: readonly string[] }> {
  const mine = state.queue.filter(({ prompt }) => promptIds.includes(prompt.id));
  const { events, texts } = dropRows(mine, "taken back");
  return { events, value: { dropped: texts } };
}

function dropRows(
  queued: readonly QueuedPrompt[],
  reason: string,
): { readonly events: readonly DurableEvent[]; readonly texts: readonly string[] } {
  const promptIds = queued.map(({ prompt }) => prompt.id);
  return {
    events: queued.length === 0 ? [] : [{ type: "prompt.dropped", promptIds, reason }],
    texts: queued.map(({ prompt }) => promptText(prompt.parts)),
  };
}

/** Lets held prompts run. */
export function confirm(
  { state }: LogView,
  { promptIds, turnId }: { readonly promptIds: readonly string[]; readonly turnId: string },
  { mustWait }: Room,
): Decision<{ started: boolean }> {
  const held = state.queue.filter((queued) => queued.held && promptIds.includes(queued.prompt.id));
  if (held.length === 0) return { events: [], value: { started: false } };
  const confirmed: DurableEvent = {
    type: "prompt.confirmed",
    promptIds: held.map(({ prompt }) => prompt.id),
  };
  const prompt = state.turn === undefined ? (nextPrompt(state) ?? held[0]?.prompt) : undefined;
  if (prompt === undefined) return { events: [confirmed], value: { started: false } };
  if (mustWait()) return { events: [confirmed], value: { started: false }, lease: "give" };
  return { events: [confirmed, ...turnStartRows(turnId, prompt)], value: { started: true }, lease: "take" };
}

/** The error for what cannot be done while a turn runs. */
export const busy = ({ turn }: SessionState, what: string): HostError =>
  new HostError(
    "session_busy",
    `session busy: cannot ${what} while turn ${turn?.turnId ?? ""} runs. Interrupt it first, or wait.`,
    { details: { subject: turn?.turnId ?? "" } },
  );
