import {
  promptText,
  readTranscript,
  type Session,
  type SessionState,
  type SessionStatus,
  type TurnState,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { encodeOpenRequests } from "../encode/question.ts";
import { encodeBeside, sessionInfo } from "../encode/session-info.ts";
import { encodeStatus, liveStatus } from "../encode/status.ts";
import { seconds } from "../encode/time.ts";
import { encodeTranscriptEntry } from "../encode/transcript.ts";
import type { Attached } from "../protocol/sessions.ts";
import type { Connection } from "./connection.ts";
import { cursorOf, seqAt } from "./event-numbers.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { OpenSession } from "./open-sessions.ts";

/** Messages that an attach answer brings; older ones are fetched by page. */
const MOST_MESSAGES = 1000;

/** The options of an attach. */
export interface AttachOptions {
  readonly connection: Connection;
  /** The client has everything up to this number and only wants what comes after it. */
  readonly lastSeen: number | undefined;
  readonly omitMessages: boolean;
  /** The running turn comes as its events, not in the answer. */
  readonly replayTurn: boolean;
  readonly afterResponse: (run: () => void) => void;
}

/**
 * Lets a connection follow a session: the answer is the session up to a number, and what comes after that number follows
 * as events, without a hole and without a repeat.
 */
export async function attach(
  gateway: GatewayContext,
  opened: OpenSession,
  options: AttachOptions,
): Promise<Attached> {
  const { session } = opened;
  const { connection, lastSeen, omitMessages, replayTurn } = options;
  // The response brings everything that the old reading would send now.
  await connection.pause(session.id);
  const reading = omitMessages ? undefined : readAhead(gateway, session);
  const { state, seq, text } = await snapshotOf(session, { lastSeen, replayTurn });
  const { turn } = state;
  const status = await liveStatus(gateway, session);
  const [page, info] = await Promise.all([
    omitMessages ? { messages: [] } : (reading?.of(state) ?? messagesOf(gateway, session, state)),
    sessionInfo(gateway, session, status),
  ]);
  const start = connection.join(opened, seq);
  options.afterResponse(() => {
    void announce(gateway, { session, connection, seq }).then(start);
  });
  return {
    session_id: session.id,
    session_key: session.id,
    stored_session_id: session.id,
    seq,
    epoch: gateway.ports.about.epoch,
    message_count: state.counts.messages + state.counts.toolCalls,
    ...page,
    messages_omitted: omitMessages,
    info,
    running: status.status !== "idle",
    started_at: seconds(state.createdAt),
    ...encodeStatus(status),
    inflight: seq === lastSeen || turn === undefined ? null : inflight(turn, { text, status }),
    ...defined({ queued: queued(state) }),
    ...encodeBeside(state),
    open_requests: encodeOpenRequests(session.id, session.questions(), gateway.ports.diff),
  };
}

/** The session's state as an event, for clients that wait for one, and its open questions. */
async function announce(
  gateway: GatewayContext,
  { session, connection, seq }: { session: Session; connection: Connection; seq: number },
): Promise<void> {
  if (!connection.follows(session.id)) return;
  const info = await sessionInfo(gateway, session);
  await connection.send({ type: "session.info", payload: info }, { session: session.id });
  connection.showQuestions(session, cursorOf(seq));
}

/** A page of the conversation, and the cursor before which the next one is. */
type MessagePage = Pick<Attached, "messages" | "before">;

/** Reads the messages of a session that nothing runs in, while it is still looked whether anything has come to it. */
function readAhead(
  gateway: GatewayContext,
  session: Session,
): { readonly of: (state: SessionState) => Promise<MessagePage> | undefined } | undefined {
  const { state: known } = session;
  if (known.turn !== undefined) return undefined;
  const page = messagesOf(gateway, session, known);
  // Who does not want it does not hear of its failure either.
  page.catch(() => undefined);
  return { of: (state) => (state.n === known.n ? page : undefined) };
}

/** Reads the messages that an attach answer brings. Those of the running turn are in its `inflight`. */
async function messagesOf(
  gateway: GatewayContext,
  session: Session,
  state: SessionState,
): Promise<MessagePage> {
  if (state.counts.messages === 0) return { messages: [] };
  const keepRows: Session["keepRows"] = (rows) => session.keepRows(rows);
  const limits = defined({ limit: MOST_MESSAGES, before: state.turn && state.turn.from + 1 });
  return await newestMessages(gateway, { id: session.id, state, keepRows }, limits);
}

/** Reads the newest messages of a session, those of the running turn among them. */
export async function newestMessages(
  { host }: GatewayContext,
  session: Pick<Session, "id" | "state"> & Partial<Pick<Session, "keepRows">>,
  options: { readonly limit: number; readonly before?: number },
): Promise<MessagePage> {
  const { entries, before } = await readTranscript(host.services.store, session, options);
  return { messages: entries.map(encodeTranscriptEntry), ...defined({ before }) };
}

/** A session at one moment: its state, the number of it, and the text of the running turn up to there. */
interface Snapshot {
  readonly state: SessionState;
  readonly seq: number;
  readonly text: string;
}

async function snapshotOf(
  session: Session,
  { lastSeen, replayTurn }: Pick<AttachOptions, "lastSeen" | "replayTurn">,
): Promise<Snapshot> {
  for (;;) {
    const state = await session.refresh();
    if (lastSeen !== undefined && lastSeen <= seqAt(session.cursor))
      return { state, seq: lastSeen, text: "" };
    if (state.turn === undefined) return { state, seq: seqAt(state.seq), text: "" };
    if (replayTurn) return { state, seq: seqAt(state.turn.from), text: "" };
    const { cursor, text } = await textSoFar(session, state.turn);
    // The turn may have ended meanwhile: then it belongs to the messages.
    if (session.state.turn?.turnId === state.turn.turnId) return { state, seq: seqAt(cursor), text };
  }
}

async function textSoFar(session: Session, { from }: TurnState): Promise<{ cursor: number; text: string }> {
  let cursor = from;
  const texts: string[] = [];
  for await (const event of session.events({ after: from, follow: false, live: false })) {
    if (event.type === "message.delta") texts.push(event.text);
    cursor = event.seq;
  }
  return { cursor, text: texts.join("") };
}

function inflight(
  { prompt, turnId, startedAt, from }: TurnState,
  { text, status }: { text: string; status: SessionStatus },
): Attached["inflight"] {
  return {
    user: promptText(prompt.parts),
    assistant: text,
    streaming: status.status !== "idle",
    turn_id: turnId,
    started_at: seconds(startedAt),
    from: seqAt(from),
  };
}

const queued = ({ queue }: SessionState): { user: string } | undefined =>
  queue.length === 0 ? undefined : { user: queue.map(({ prompt }) => promptText(prompt.parts)).join("\n\n") };
