import type { Session } from "../../core/index.ts";
import { encodeOpenRequests } from "../encode/question.ts";
import { modelOf, sessionInfo } from "../encode/session-info.ts";
import { encodeState } from "../encode/session-state.ts";
import { liveStatus } from "../encode/status.ts";
import { encodeSessionUsage } from "../encode/usage.ts";
import { attach, linesOf, newestMessages } from "../gateway/attach.ts";
import { replay } from "../gateway/replay.ts";
import type { CONVERSATION_METHODS } from "../protocol/conversation.ts";
import { compress } from "./compress.ts";
import { commandContext } from "./command-context.ts";
import type { HandlersOf } from "./handler.ts";

export const CONVERSATION_HANDLERS: HandlersOf<typeof CONVERSATION_METHODS> = {
  async "session.history"({ session_id, limit, before }, { desk }) {
    const session = await refreshed(await desk.session(session_id));
    const page = await newestMessages(desk, session, { limit, ...(before === undefined ? {} : { before }) });
    const { messages, toolCalls } = session.state.counts;
    return { count: Math.max(messages + toolCalls, page.messages.length), ...page };
  },

  async "session.events.since"({ session_id, last_seen }, { desk }) {
    const session = await refreshed(await desk.session(session_id));
    const { diff, about } = desk.ports;
    // A cursor that the session never had belongs to something else: the client starts over.
    const foreign = last_seen > session.cursor;
    const { events, next, more } = foreign
      ? { events: [], next: session.cursor, more: true }
      : await replay(desk, session, last_seen);
    return {
      events: [...events],
      latest_seq: session.cursor,
      next,
      truncated: more,
      count: events.length,
      epoch: about.epoch,
      open_requests: encodeOpenRequests(session.id, session.questions(), diff),
    };
  },

  "session.compress": compress,

  async "session.branch"({ session_id, name }, { desk, connection, afterAnswer }) {
    const copy = await desk.host.branch(session_id, name === undefined ? {} : { title: name });
    const opened = desk.sessions.open(copy);
    const {
      session_id: id,
      stored_session_id,
      seq,
      message_count,
      messages,
      info,
    } = await attach(desk, opened, {
      connection,
      afterAnswer,
      lastSeen: undefined,
      omitMessages: false,
    });
    afterAnswer(() =>
      desk.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "created" } }),
    );
    const { title } = copy.state;
    return {
      session_id: id,
      stored_session_id,
      title,
      parent: session_id,
      seq,
      message_count,
      messages,
      info,
    };
  },

  async "session.title"({ session_id, title }, { desk }) {
    const session = await desk.session(session_id);
    if (title === undefined) {
      const state = await session.refresh();
      return { title: state.title, session_key: session.id, pending: false };
    }
    const set = await session.setTitle(title);
    desk.broadcast({ type: "sessions.changed", payload: { session_id, change: "updated" } });
    return { title: set, session_key: session.id, pending: false };
  },

  async "session.usage"({ session_id }, { desk }) {
    const state = await (await desk.session(session_id)).refresh();
    return encodeSessionUsage(state, modelOf(desk, state).model);
  },

  async "session.status"({ session_id }, context) {
    const { desk } = context;
    const session = await refreshed(await desk.session(session_id));
    const said = await desk.commands.dispatch("/status", commandContext(context, session));
    return {
      output: said.type === "done" ? said.output : "",
      state: encodeState(session, {
        status: await liveStatus(desk, session),
        model: modelOf(desk, session.state).model,
      }),
      open_requests: encodeOpenRequests(session.id, session.questions(), desk.ports.diff),
    };
  },

  async "session.undo"({ session_id, turns }, { desk }) {
    const session = await desk.session(session_id);
    const prompts = await session.undo(turns);
    const { undone } = session.state;
    const range = undone.at(-1);
    const rows = range === undefined ? [] : await session.rows(range.from, range.to);
    return { removed: linesOf(rows, { undone: undone.slice(0, -1) }), prompts: [...prompts] };
  },

  async "session.save"({ session_id }, { desk }) {
    const session = await refreshed(await desk.session(session_id));
    const { messages } = await newestMessages(desk, session, { limit: Number.MAX_SAFE_INTEGER });
    const info = await sessionInfo(desk, session);
    const content = JSON.stringify(
      { session_id, title: info.title, model: info.model, messages },
      undefined,
      2,
    );
    return { file: await desk.ports.archive.saveConversation(session_id, content) };
  },
};

async function refreshed(session: Session): Promise<Session> {
  await session.refresh();
  return session;
}
