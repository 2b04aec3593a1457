import {
  contentText,
  segmentText,
  decodeRow,
  type GivenMessage,
  promptText,
  type Row,
  type Session,
  type Store,
} from "../../../core/index.ts";

/** A message as clients get it; keys without a value are left out. */
export type WireMessage = Readonly<Record<string, unknown>> & { readonly role: string };

export interface MessagePage {
  readonly limit: number;
  readonly offset: number;
  /** Where `offset` counts from. */
  readonly order: "oldest" | "latest";
}

const PAGE_ROWS = 400;

/** A page of a session's messages, oldest first; what was undone is left out. */
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

/** The messages that a row stands for. */
export function encodeRowMessages({ n, event }: Pick<Row, "n" | "event">): readonly WireMessage[] {
  switch (event.type) {
    case "history.given":
      return event.messages.map((message, index) => ({ id: `${n}.${index}`, ...encodeGiven(message) }));
    case "turn.start":
      return [{ id: n, role: "user", content: promptText(event.prompt.parts) }];
    case "steer.delivered":
      return [{ id: n, role: "user", content: event.text, display_kind: "steer" }];
    case "reply.complete": {
      const reasoning = segmentText(event.segments, "reasoning");
      const calls = event.calls.map(({ id, name, input }) => encodeCall(id, name, input));
      return [
        {
          id: n,
          role: "assistant",
          content: segmentText(event.segments, "text"),
          finish_reason: event.finish,
          token_count: event.usage.output,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
          ...(reasoning === "" ? {} : { reasoning }),
        },
      ];
    }
    case "tool.complete": {
      const content = contentText(event.content);
      return [{ id: n, role: "tool", content, tool_call_id: event.callId, tool_name: event.name }];
    }
    case "history.compress":
      return [{ id: n, role: "system", content: event.summary, display_kind: "summary" }];
    default:
      return [];
  }
}

const encodeCall = (id: string, name: string, input: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function encodeGiven(message: GivenMessage): WireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: promptText(message.parts) };
    case "assistant": {
      const calls = (message.calls ?? []).map(({ id, name, input }) => encodeCall(id, name, input));
      return {
        role: "assistant",
        content: message.text,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
    }
    case "tool":
      return { role: "tool", content: message.text, tool_call_id: message.callId };
  }
}
