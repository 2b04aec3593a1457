import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import type { OpenRequest } from "../../../src/rpc/protocol/question.ts";
import type { SessionInfo } from "../../../src/rpc/protocol/session-info.ts";
import type { Attached } from "../../../src/rpc/protocol/sessions.ts";
import type { TranscriptMessage } from "../../../src/rpc/protocol/transcript-message.ts";
import type { Payload } from "../../../src/rpc/protocol/events.ts";

/** A line of the conversation, as the page shows it; `key` stays the same while it grows. */
export type Entry =
  | ({ readonly key: string; readonly kind: "prompt"; readonly text: string } & PromptPlace)
  | {
      readonly key: string;
      readonly kind: "answer";
      readonly text: string;
      readonly live: boolean;
      readonly row?: number;
    }
  | { readonly key: string; readonly kind: "reasoning"; readonly text: string }
  | ({ readonly key: string; readonly kind: "tool"; readonly row?: number } & ToolCall)
  | {
      readonly key: string;
      readonly kind: "note";
      readonly tone: "plain" | "warn" | "bad";
      readonly text: string;
    };

/** What a prompt's turn is found by: the row of one that is past, the id of one that was followed. */
interface PromptPlace {
  readonly row?: number;
  readonly turnId?: string;
}

/** A tool call as far as it got. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** What it does, in a line. */
  readonly about: string;
  readonly outcome?: Payload<"tool.complete">["outcome"];
  /** The newest lines, or the result. */
  readonly output?: string;
  readonly diff?: string;
  /** Seconds. */
  readonly took?: number;
}

/** A session that the page follows. */
export interface LiveSession {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly questions: readonly OpenRequest[];
  readonly info: SessionInfo;
  readonly running: boolean;
  /** There are older messages, before this place. */
  readonly before?: number;
  /** Entries that were made here; each gets a key of its own. */
  readonly made: number;
}

/** The session as the answer to `session.resume` has it. */
export function attachedSession(attached: Attached): LiveSession {
  const { session_id: id, messages, info, running, open_requests: questions, before } = attached;
  const past = pastEntries(messages);
  // The running turn comes as its events.
  const session = { id, entries: past, questions, info, running, made: 0 };
  return before === undefined ? session : { ...session, before };
}

/** The session with an older page of its messages above. */
export function withOlder(
  { before: _read, ...session }: LiveSession,
  {
    messages,
    before,
  }: { readonly messages: readonly TranscriptMessage[]; readonly before?: number | undefined },
): LiveSession {
  const entries = [...pastEntries(messages), ...session.entries];
  return before === undefined ? { ...session, entries } : { ...session, entries, before };
}

/** The lines of the conversation that messages of the past are. */
export const pastEntries = (messages: readonly TranscriptMessage[]): readonly Entry[] =>
  messages.flatMap(pastEntry);

function pastEntry(message: TranscriptMessage): readonly Entry[] {
  const {
    role,
    text = "",
    name = "",
    context = "",
    row_id,
    tool_call_id = "",
    outcome,
    result_text: output,
  } = message;
  const key = `${row_id} ${tool_call_id}`;
  if (role === "tool")
    return [
      {
        key,
        kind: "tool",
        row: row_id,
        id: tool_call_id,
        name,
        about: context,
        ...(outcome === undefined ? {} : { outcome }),
        ...(output === undefined ? {} : { output }),
      },
    ];
  if (role === "user") return [{ key, kind: "prompt", text, row: row_id }];
  if (role === "assistant")
    return text === "" ? [] : [{ key, kind: "answer", text, live: false, row: row_id }];
  return [{ key, kind: "note", tone: "plain", text }];
}

/** The session after an event of its own. */
export function afterEvent(session: LiveSession, event: ClientEvent): LiveSession {
  switch (event.type) {
    case "message.start": {
      const { text, turn_id: turnId } = event.payload;
      return { ...added(session, { kind: "prompt", text, turnId }), running: true };
    }
    case "message.delta":
      return withText(session, "answer", event.payload.text);
    case "reasoning.delta":
      return withText(session, "reasoning", event.payload.text);
    case "tool.start": {
      const { tool_id: id, name, context: about, inline_diff: diff } = event.payload;
      const call = { kind: "tool", id, name, about, ...(diff === undefined ? {} : { diff }) } as const;
      return added(settled(session), call);
    }
    case "tool.progress": {
      const { tool_id, preview } = event.payload;
      return withCall(session, tool_id, { output: preview });
    }
    case "tool.complete":
      return withCall(session, event.payload.tool_id, endOf(event.payload));
    case "message.complete":
      return ended(session, event.payload);
    case "session.info":
      return { ...session, info: event.payload, running: event.payload.running };
    case "session.title":
      return { ...session, info: { ...session.info, title: event.payload.title } };
    case "steer.accepted":
      return added(session, { kind: "note", tone: "plain", text: `Steered: ${event.payload.text}` });
    case "prompt.queued":
      return added(session, { kind: "note", tone: "plain", text: `Queued: ${event.payload.text}` });
    case "error":
      return added(session, { kind: "note", tone: "bad", text: event.payload.message });
    default:
      return afterQuestion(session, event);
  }
}

/** Questions come and go; what became of an approval stays as a line. */
function afterQuestion(session: LiveSession, event: ClientEvent): LiveSession {
  const question = askedIn(session.id, event);
  if (question !== undefined) {
    // Its answer to attaching may have it already.
    const isKnown = session.questions.some(({ params }) => params.request_id === question.params.request_id);
    return isKnown ? session : { ...session, questions: [...session.questions, question] };
  }
  const over = /^(?:approval|clarify|sudo|secret)\.(?:resolved|expire)$/.test(event.type);
  if (!over || !("request_id" in event.payload)) return session;
  const { request_id } = event.payload;
  return {
    ...session,
    questions: session.questions.filter(({ params }) => params.request_id !== request_id),
  };
}

function askedIn(session_id: string, event: ClientEvent): OpenRequest | undefined {
  switch (event.type) {
    case "approval.request":
      return { id: event.payload.request_id, method: "approval", params: { session_id, ...event.payload } };
    case "clarify.request": {
      const { choices, ...rest } = event.payload;
      const given = choices === null ? {} : { choices };
      return {
        id: rest.request_id,
        method: "clarify",
        params: { session_id, ...rest, ...given, questions: [] },
      };
    }
    default:
      return undefined;
  }
}

type NewEntry = Entry extends infer Each ? (Each extends Entry ? Omit<Each, "key"> : never) : never;

function added(session: LiveSession, entry: NewEntry): LiveSession {
  // The parts are those of the kind; only the key is new.
  const made = { ...entry, key: `live ${session.made}` } as Entry;
  return { ...session, entries: [...session.entries, made], made: session.made + 1 };
}

function withText(session: LiveSession, kind: "answer" | "reasoning", text: string): LiveSession {
  const last = session.entries.at(-1);
  const goesOn = last?.kind === kind && (last.kind !== "answer" || last.live);
  if (!goesOn || last === undefined || !("text" in last))
    return added(session, kind === "answer" ? { kind, text, live: true } : { kind, text });
  return { ...session, entries: [...session.entries.slice(0, -1), { ...last, text: last.text + text }] };
}

/** The text above is whole: what comes next begins another one. */
function settled(session: LiveSession): LiveSession {
  const last = session.entries.at(-1);
  if (last?.kind !== "answer" || !last.live) return session;
  return { ...session, entries: [...session.entries.slice(0, -1), { ...last, live: false }] };
}

function withCall(session: LiveSession, id: string, news: Partial<ToolCall>): LiveSession {
  const entries = session.entries.map((entry) =>
    entry.kind === "tool" && entry.id === id ? { ...entry, ...news } : entry,
  );
  return { ...session, entries };
}

function endOf({ outcome, duration_s: took, result_text, error, inline_diff }: Payload<"tool.complete">) {
  const output = error ?? result_text;
  return {
    outcome,
    took,
    ...(output === undefined ? {} : { output }),
    ...(inline_diff === undefined ? {} : { diff: inline_diff }),
  };
}

function ended(
  session: LiveSession,
  { status, error, warning, reason }: Payload<"message.complete">,
): LiveSession {
  const over: LiveSession = { ...settled(session), running: false, questions: [] };
  if (status === "complete")
    return warning === undefined ? over : added(over, { kind: "note", tone: "warn", text: warning });
  if (status === "error")
    return added(over, { kind: "note", tone: "bad", text: error?.message ?? "The turn failed." });
  return added(over, {
    kind: "note",
    tone: "warn",
    text: reason === undefined ? "Stopped." : `Stopped: ${reason}`,
  });
}
