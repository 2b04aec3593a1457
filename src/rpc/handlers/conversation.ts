import type { Result } from "../protocol/methods.ts";
import { type Compression, promptText, type Session, transcript } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { encodeOpenRequests } from "../encode/question.ts";
import { seconds } from "../encode/time.ts";
import { modelOf, sessionInfo, encodeSessionState } from "../encode/session-info.ts";
import { liveStatus } from "../encode/status.ts";
import { encodeSessionUsage } from "../encode/usage.ts";
import { attach, newestMessages } from "../gateway/attach.ts";
import { seqAt, cursorOf, numbered } from "../gateway/event-numbers.ts";
import type { CONVERSATION_METHODS } from "../protocol/conversation.ts";
import { commandContext, type HandlersOf } from "./handler.ts";
import { encoderAfter } from "../encode/event.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";

const MOST_MESSAGES = 1000;
/** Characters of a prompt in a list of them. */
const PROMPT_CHARACTERS = 300;

const shortened = (text: string): string =>
  text.length <= PROMPT_CHARACTERS ? text : `${text.slice(0, PROMPT_CHARACTERS).toWellFormed()}…`;

/** Conversations with fewer messages are not worth a notice. */
const FEW = 4;

export const CONVERSATION_HANDLERS: HandlersOf<typeof CONVERSATION_METHODS> = {
  async "session.history"({ session_id, limit, before }, { gateway }) {
    const session = await gateway.session(session_id);
    const isDamaged = await findsDamage(session);
    const page = await newestMessages(gateway, session, { limit, ...defined({ before }) });
    const { messages, toolCalls } = session.state.counts;
    const damage = isDamaged ? { damaged: true as const } : {};
    return { count: Math.max(messages + toolCalls, page.messages.length), ...page, ...damage };
  },

  async "session.events.since"({ session_id, last_seen }, { gateway }) {
    const session = await refreshed(await gateway.session(session_id));
    const { diff, about } = gateway.ports;
    // A number that the session never had belongs to something else: the client starts over.
    const latest_seq = seqAt(session.cursor);
    const foreign = last_seen > latest_seq;
    const { events, next, more } = foreign
      ? { events: [], next: latest_seq, more: true }
      : await replay(gateway, session, last_seen);
    return {
      events,
      latest_seq,
      next,
      truncated: more,
      count: events.length,
      epoch: about.epoch,
      open_requests: encodeOpenRequests(session.id, session.questions(), diff),
    };
  },

  async "session.compress"({ session_id, focus_topic }, { gateway, connection, signal }) {
    const session = await gateway.session(session_id);
    const before = await session.refresh();
    const say = (kind: string, text: string): Promise<void> => {
      return connection.send({ type: "status.update", payload: { kind, text } }, { session: session.id });
    };
    const long = before.counts.messages >= FEW && before.turn === undefined;
    if (long) await say("compressing", "Summarizing the conversation so far");
    let done: Compression | undefined;
    try {
      done = await session.compress({ signal, ...defined({ focus: focus_topic }) });
    } finally {
      // A compression that was done is told of by an event of the session.
      if (long && done?.done !== true) await say("status", "ready");
    }
    const { messages } = await newestMessages(gateway, session, { limit: MOST_MESSAGES });
    const { state } = session;
    const before_messages = done.messagesBefore;
    const after_messages = done.done ? done.messagesAfter : before_messages;
    return {
      status: done.done ? "compressed" : "aborted",
      removed: before_messages - after_messages,
      before_messages,
      after_messages,
      before_tokens: done.done ? done.tokensBefore : before.contextTokens,
      after_tokens: done.done ? done.tokensAfter : before.contextTokens,
      summary: summaryOf(done),
      usage: encodeSessionUsage(state, modelOf(gateway, state).model),
      info: await sessionInfo(gateway, session),
      messages,
    };
  },

  async "session.branch"({ session_id, name, at }, { gateway, connection, afterResponse }) {
    const copy = await gateway.host.branch(session_id, defined({ title: name, at }));
    const opened = gateway.sessions.open(copy);
    const options = {
      connection,
      afterResponse,
      lastSeen: undefined,
      omitMessages: false,
      replayTurn: false,
    };
    const { session_id: id, ...attached } = await attach(gateway, opened, options);
    const { stored_session_id, seq, message_count, messages, info } = attached;
    afterResponse(() =>
      gateway.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "created" } }),
    );
    // Clients of this protocol have the copy's state before they learn that it is the answer.
    await connection.send({ type: "session.info", payload: info }, { session: id });
    const copied = { session_id: id, stored_session_id, title: copy.state.title, parent: session_id };
    return { ...copied, seq, message_count, messages, info };
  },

  async "session.title"({ session_id, title }, { gateway }) {
    const session = await gateway.session(session_id);
    if (title === undefined) {
      const state = await session.refresh();
      return { title: state.title, session_key: session.id, pending: false };
    }
    const set = await session.setTitle(title);
    gateway.broadcast({ type: "sessions.changed", payload: { session_id, change: "updated" } });
    return { title: set, session_key: session.id, pending: false };
  },

  async "session.usage"({ session_id }, { gateway }) {
    const state = await (await gateway.session(session_id)).refresh();
    return encodeSessionUsage(state, modelOf(gateway, state).model);
  },

  async "session.status"({ session_id }, context) {
    const { gateway } = context;
    const session = await refreshed(await gateway.session(session_id));
    const said = await gateway.commands.dispatch("/status", commandContext(context, session));
    return {
      output: said.type === "done" ? said.output : "",
      state: encodeSessionState(session, {
        status: await liveStatus(gateway, session),
        model: modelOf(gateway, session.state).model,
      }),
      open_requests: encodeOpenRequests(session.id, session.questions(), gateway.ports.diff),
    };
  },

  async "session.undo"({ session_id, turns }, { gateway }) {
    const session = await gateway.session(session_id);
    const prompts = await session.undo(turns);
    const { undone } = session.state;
    const range = undone.at(-1);
    const rows = range === undefined ? [] : await session.rows(range.from, range.to);
    return { removed: transcript(rows, { undone: undone.slice(0, -1) }).length, prompts: [...prompts] };
  },

  async "session.prompts"({ session_id, limit }, { gateway }) {
    const prompts = await (await gateway.session(session_id)).pastPrompts(limit);
    return {
      prompts: prompts.map(({ prompt, at }) => ({
        prompt_id: prompt.id,
        text: shortened(promptText(prompt.parts)),
        at: seconds(at),
      })),
    };
  },

  async "session.rewind"({ session_id, prompt_id }, { gateway }) {
    const session = await gateway.session(session_id);
    const { checkpoint, turns } = await session.rewind({ turn: prompt_id, scope: "conversation" });
    return { text: checkpoint.text, turns };
  },

  async "session.save"({ session_id }, { gateway }) {
    const session = await refreshed(await gateway.session(session_id));
    const { messages } = await newestMessages(gateway, session, { limit: Number.MAX_SAFE_INTEGER });
    const { title, model } = await sessionInfo(gateway, session);
    const content = JSON.stringify({ session_id, title, model, messages }, undefined, 2);
    return { file: await gateway.ports.archive.saveConversation(session_id, content) };
  },
};

async function refreshed(session: Session): Promise<Session> {
  await session.refresh();
  return session;
}

/** Says whether a session can be read only in part, up to a damaged row; it is as new as can be then. */
async function findsDamage(session: Session): Promise<boolean> {
  try {
    await session.refresh();
    return false;
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "session_damaged") return true;
    throw thrown;
  }
}

function summaryOf(done: Compression): Result<"session.compress">["summary"] {
  const base = { noop: !done.done, aborted: false, fallback_used: false };
  if (!done.done) return { ...base, headline: "Not compressed", token_line: "", note: done.reason };
  return {
    ...base,
    headline: "Compressed the older part of the conversation; nothing was deleted",
    token_line: `about ${done.tokensBefore} tokens became ${done.tokensAfter}`,
    note: null,
  };
}

/** Bytes that one page of events may have. */
const LARGEST_PAGE = 4 * 1024 * 1024;

/**
 * Reads a page of the events after a number, as clients get them live: whole events, at most so much that a client can
 * take it at once. `next` is the number that the page goes up to.
 */
async function replay(gateway: GatewayContext, session: Session, seen: number) {
  const events: Record<string, unknown>[] = [];
  const after = cursorOf(seen);
  const encode = await encoderAfter(after, gateway, session);
  let next = seen;
  let size = 0;
  for await (const event of session.events({ after, follow: false, live: false })) {
    const page = numbered(event, await encode(event), seen)
      .filter(({ body }) => body.type !== "request.cancel")
      .map(({ body: { type, payload }, seq }) => ({ type, session_id: session.id, seq, payload }));
    const bytes = JSON.stringify(page).length;
    if (size > 0 && size + bytes > LARGEST_PAGE) return { events, next, more: true };
    events.push(...page);
    size += bytes;
    next = seqAt(event.seq);
  }
  return { events, next, more: false };
}
