import {
  contentText,
  segmentText,
  decodeRow,
  type DurableEvent,
  type GivenMessage,
  promptText,
  type Row,
  type Session,
  type Store,
  type ToolCall,
} from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { type ByType, callByType } from "../../../shared/union/by-type.ts";
import { forTypes, QUIET_EVENTS } from "../../turns/event-encoders.ts";

/** A message as clients get it; keys without a value are left out. */
export type WireMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** The page of messages that a request asks for. */
export interface MessagePage {
  readonly limit: number;
  readonly offset: number;
  /** The end from which `offset` counts. */
  readonly order: "oldest" | "latest";
}

const PAGE_ROWS = 400;

/** Reads a page of a session's messages, oldest first; undone messages are left out. */
export async function readSessionMessages(
  store: Store,
  session: Session,
  page: MessagePage,
): Promise<readonly WireMessage[]> {
  const wanted = page.offset + page.limit;
  const found =
    page.order === "oldest"
      ? await fromOldest(store, session, wanted)
      : await fromLatest(store, session, wanted);
  return page.order === "oldest"
    ? found.slice(page.offset, wanted)
    : found.slice(Math.max(0, found.length - wanted), Math.max(0, found.length - page.offset));
}

async function fromOldest(store: Store, session: Session, wanted: number): Promise<readonly WireMessage[]> {
  const messages: WireMessage[] = [];
  for (let after = 0; messages.length < wanted;) {
    const page = await store.read(session.id, { after, limit: PAGE_ROWS });
    if (page === undefined) break;
    messages.push(...shown(page.rows.map(decodeRow), session));
    after = page.rows.at(-1)?.seq ?? after;
    if (!page.more) break;
  }
  return messages;
}

async function fromLatest(store: Store, session: Session, wanted: number): Promise<readonly WireMessage[]> {
  let messages: readonly WireMessage[] = [];
  for (let before = session.state.seq + 1; messages.length < wanted;) {
    const rows = await store.readBefore(session.id, before, PAGE_ROWS);
    messages = [...shown(rows.map(decodeRow), session), ...messages];
    before = rows[0]?.seq ?? 0;
    if (rows.length < PAGE_ROWS) break;
  }
  return messages;
}

function shown(rows: readonly Row[], { id, state }: Session): readonly WireMessage[] {
  return rows
    .filter(({ seq }) => !state.undone.some(({ from, to }) => seq > from && seq <= to))
    .flatMap((row) =>
      encodeRowMessages(row).map((message) => ({ session_id: id, ...message, timestamp: row.at / 1000 })),
    );
}

/** Encodes a row as messages, most often none. */
export function encodeRowMessages({ n, event }: Pick<Row, "n" | "event">): readonly WireMessage[] {
  return callByType(ENCODERS, event, n);
}

const ENCODERS: ByType<DurableEvent, number, readonly WireMessage[]> = {
  ...forTypes([...QUIET_EVENTS, "prompt.dropped", "tool.start"], () => []),
  "history.given": ({ messages }, n) =>
    messages.map((message, index) => ({ id: `${n}.${index}`, ...encodeGiven(message) })),
  "turn.start": ({ prompt }, n) => [{ id: n, role: "user", content: promptText(prompt.parts) }],
  "steer.delivered": ({ text }, n) => [{ id: n, role: "user", content: text, display_kind: "steer" }],
  "reply.complete": ({ segments, calls, finish, usage }, n) => {
    return [
      {
        id: n,
        role: "assistant",
        content: segmentText(segments, "text"),
        finish_reason: finish,
        token_count: usage.output,
        ...encodeCalls(calls),
        ...defined({ reasoning: segmentText(segments, "reasoning") || undefined }),
      },
    ];
  },
  "tool.complete": ({ content, callId, name }, n) => [
    { id: n, role: "tool", content: contentText(content), tool_call_id: callId, tool_name: name },
  ],
  "turn.end": ({ outcome, reason, error }, n) =>
    outcome === "completed"
      ? []
      : [{ id: n, role: "system", content: error?.message ?? reason ?? "", display_kind: outcome }],
  "history.compress": ({ summary }, n) => [
    { id: n, role: "system", content: summary, display_kind: "summary" },
  ],
};

/** Encodes calls; a message without calls has no key for them. */
const encodeCalls = (calls: readonly ToolCall[] = []) =>
  calls.length === 0
    ? {}
    : {
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(input) },
        })),
      };

function encodeGiven(message: GivenMessage): WireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: promptText(message.parts) };
    case "assistant":
      return { role: "assistant", content: message.text, ...encodeCalls(message.calls) };
    case "tool":
      return { role: "tool", content: message.text, tool_call_id: message.callId };
  }
}
