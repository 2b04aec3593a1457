import {
  type DurableEvent,
  decodeRow,
  type FeedPage,
  type FeedRow,
  isQuestion,
  questionText,
  type SessionRecord,
} from "../../core/index.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { EventSource } from "./event-follower.ts";
import { eventId, type OutgoingEvent, type OutgoingFacts } from "./outgoing-event.ts";

/** The parts of the source of what happens in sessions. */
export interface SessionEventParts {
  readonly feed: (after: number, limit: number) => Promise<FeedPage>;
  readonly record: (session: string) => Promise<SessionRecord | undefined>;
  /** The text of a turn's answer. @param end - the cursor of its last row */
  readonly answer: (session: SessionRecord, end: number) => Promise<string | undefined>;
  /** Told of a row that cannot be read; those behind it are read all the same. */
  readonly report: (error: HostError) => void;
}

const AT_ONCE = 200;

/** Makes the source of what happens in sessions that people see: those of subagents and stateless calls are not among them. */
export const sessionEvents = (parts: SessionEventParts): EventSource => ({
  name: "sessions",
  async read(after) {
    const { rows, next } = await parts.feed(after, AT_ONCE);
    const events: OutgoingEvent[] = [];
    for (const row of rows) events.push(...(await eventsOf(row, parts)));
    return { events, next };
  },
});

async function eventsOf(
  { session, row }: FeedRow,
  { record: find, answer, report }: SessionEventParts,
): Promise<readonly OutgoingEvent[]> {
  try {
    const record = await find(session);
    if (record === undefined || record.state.depth > 0 || record.state.hidden) return [];
    const { event, seq, at } = decodeRow(row);
    return factsOf(event, record, () => answer(record, seq)).map((facts) => ({
      ...facts,
      id: eventId(session, seq, at, facts.type),
      at,
    }));
  } catch (thrown) {
    const error = toHostError(thrown);
    // The store answers again later; what it cannot read now it never can.
    if (error.code === "store_unavailable") throw error;
    report(error);
    return [];
  }
}

type Said = Pick<OutgoingEvent, "text">;

function factsOf(
  event: DurableEvent,
  { id, state: { title, platform, parentId } }: SessionRecord,
  answer: () => Promise<string | undefined>,
): readonly (OutgoingFacts & Said)[] {
  const session = { id, title, platform };
  if (isQuestion(event)) {
    const { turnId, requestId } = event;
    const { exact, words } = questionText(event);
    const said = [words, exact].filter((each) => each !== "").join("\n\n");
    return [
      { type: "question.asked", session, turnId, requestId, kind: kindOf(event.type), text: saying(said) },
    ];
  }
  switch (event.type) {
    case "session.start":
    case "session.branch":
    case "session.import":
      return [{ type: "session.started", session, ...defined({ parentId }) }];
    case "turn.end":
      return turnFacts(event, session, answer);
    case "approval.resolved":
    case "clarify.resolved":
    case "sudo.resolved":
    case "secret.resolved": {
      const { turnId, requestId, resolution } = event;
      const { outcome } = resolution;
      const said = outcome === "answered" ? (resolution.choice ?? resolution.text) : undefined;
      const of = { session, turnId, requestId, kind: kindOf(event.type), outcome };
      return [{ type: "question.answered", ...of, text: saying(said) }];
    }
    default:
      // The feed has no others; an older program may have fed one.
      return [];
  }
}

function turnFacts(
  { outcome, turnId, error, reason }: Extract<DurableEvent, { type: "turn.end" }>,
  session: Extract<OutgoingFacts, { readonly session: unknown }>["session"],
  answer: () => Promise<string | undefined>,
): readonly (OutgoingFacts & Said)[] {
  switch (outcome) {
    case "completed":
      return [{ type: "turn.completed", session, turnId, text: answer }];
    case "cancelled":
      return [];
    case "failed":
    case "interrupted": {
      const text = saying(error?.message ?? reason);
      const failed = { type: "turn.failed", session, turnId, outcome, text } as const;
      const over = { type: "budget.exceeded", session, turnId, text } as const;
      const facts = { ...failed, ...defined({ code: error?.code }) };
      return error?.code === "budget_exceeded" ? [over, facts] : [facts];
    }
  }
}

const saying = (text: string | undefined) => (): Promise<string | undefined> => Promise.resolve(text);

/** The kind of a question, which its events' names begin with. */
function kindOf(
  type: `${"approval" | "clarify" | "sudo" | "secret"}.${"request" | "resolved"}`,
): "approval" | "clarify" | "sudo" | "secret" {
  switch (type) {
    case "approval.request":
    case "approval.resolved":
      return "approval";
    case "clarify.request":
    case "clarify.resolved":
      return "clarify";
    case "sudo.request":
    case "sudo.resolved":
      return "sudo";
    case "secret.request":
    case "secret.resolved":
      return "secret";
  }
}
