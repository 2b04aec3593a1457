import { type ListQuery, newestSession, sameTitleNote, type SessionRecord } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { encodeHit, encodeListing, encodeLive } from "../encode/session-info.ts";
import { seconds } from "../encode/time.ts";
import { attach } from "../gateway/attach.ts";
import type { OpenSession } from "../gateway/open-sessions.ts";
import type { Attached, SESSION_METHODS } from "../protocol/sessions.ts";
import type { HandlerContext, HandlersOf } from "./handler.ts";
import { openOptions } from "./open-options.ts";

export const SESSION_HANDLERS: HandlersOf<typeof SESSION_METHODS> = {
  async "session.create"(params, context) {
    const { gateway } = context;
    const opened = gateway.sessions.open(await gateway.host.open(await openOptions(params, gateway)));
    const { id } = opened.session;
    if (params.close_on_disconnect) closeWithConnection(id, context);
    context.afterResponse(() =>
      gateway.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "created" } }),
    );
    return await attached(opened, { cols: params.cols, omit_messages: false, replay_turn: false }, context);
  },

  async "session.list"({ limit, offset, include_children, cursor, ...where }, { gateway }) {
    const below = cursor === undefined ? undefined : readListCursor(cursor);
    const page = { limit: limit + 1, offset, includeChildren: include_children };
    const records = await gateway.host.list({ ...page, ...defined({ ...where, below }) });
    const shown = records.slice(0, limit);
    const last = records.length > limit ? shown.at(-1) : undefined;
    return {
      sessions: shown.map((record) => encodeListing(gateway, record)),
      ...defined({ cursor: last && listCursor(last) }),
    };
  },

  async "session.search"({ query: words, limit, cursor, include_children, ...where }, { gateway }) {
    const filter = { includeChildren: include_children, ...defined({ cursor, ...where }) };
    const { hits, ...page } = await gateway.host.search({ words, limit, ...filter });
    return { hits: hits.map((hit) => encodeHit(gateway, hit)), ...page };
  },

  async "session.active_list"({ current_session_id }, { gateway }) {
    const listed = gateway.busyOrOpen().map((each) => encodeLive(gateway, each, current_session_id));
    return { sessions: await Promise.all(listed) };
  },

  async "session.activate"(params, context) {
    const { gateway } = context;
    const { session_id: id } = params;
    const session = gateway.busyOrOpen().find((each) => each.id === id);
    if (session === undefined) {
      const message = `Session ${id} is not open here; session.resume opens stored ones.`;
      throw new HostError("session_not_found", message);
    }
    return await attached(gateway.sessions.open(session), params, context);
  },

  async "session.resume"(params, context) {
    const { gateway } = context;
    const found = await gateway.host.lookUp(params.session_id);
    const session = gateway.host.found(found);
    if (params.close_on_disconnect) closeWithConnection(session.id, context);
    const note = sameTitleNote(found) || undefined;
    const opened = await attached(gateway.sessions.open(session), params, context);
    return { ...opened, resumed: session.id, ...defined({ note }) };
  },

  async "session.close"({ session_id: id }, context) {
    return { closed: await close(id, context) };
  },

  async "session.delete"({ session_id: id }, { gateway, connection }) {
    const opened = gateway.sessions.get(id);
    const others = (opened?.followers ?? 0) - (connection.follows(id) ? 1 : 0);
    const session = await gateway.host.session(id);
    if (others > 0 || session.state.turn !== undefined) {
      throw new HostError("session_busy", `Session ${id} is in use: close it everywhere, then delete it.`);
    }
    await connection.leave(id);
    gateway.sessions.close(id);
    await gateway.host.delete(id);
    gateway.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "deleted" } });
    return { deleted: id };
  },

  async "session.most_recent"({ cwd }, { gateway }) {
    const newest = await newestSession(gateway.host.services.store, "client", cwd);
    if (newest === undefined) return { session_id: null };
    const { record, isOfWay } = newest;
    const { title, preview, createdAt, activeAt, source, platform } = record.state;
    const times = { started_at: seconds(createdAt), last_active: seconds(activeAt) };
    return { session_id: record.id, title, preview, ...times, source, platform, in_client: isOfWay };
  },
};

/** The place of a session in a list. */
const listCursor = ({ id, state }: SessionRecord): string => `${state.activeAt}.${id}`;

/** @throws HostError `invalid_params` */
function readListCursor(cursor: string): NonNullable<ListQuery["below"]> {
  const [, activeAt, id] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (activeAt !== undefined && id !== undefined) return { activeAt: Number(activeAt), id };
  throw new HostError(
    "invalid_params",
    "The cursor is of no page of this list. Pass the one that came with the page before, or none.",
    { details: { subject: "cursor" } },
  );
}

interface AttachParams {
  /** The width of the client's terminal, when it says it. */
  readonly cols?: number | undefined;
  readonly last_seen?: number | undefined;
  readonly omit_messages: boolean;
  readonly replay_turn: boolean;
}

async function attached(
  opened: OpenSession,
  { cols, last_seen: lastSeen, omit_messages: omitMessages, replay_turn: replayTurn }: AttachParams,
  context: HandlerContext,
): Promise<Attached> {
  const { gateway, connection, afterResponse } = context;
  const options = { connection, lastSeen, omitMessages, replayTurn, afterResponse };
  const answer = await attach(gateway, opened, options);
  if (cols !== undefined) connection.resize(opened.session.id, cols);
  return answer;
}

function closeWithConnection(id: string, context: HandlerContext): void {
  const { gateway, connection } = context;
  connection.whenClosed(() => {
    close(id, context).catch((thrown: unknown) => gateway.report(thrown));
  });
}

/** `false` when it was not open here. An id that never existed is an error. */
async function close(id: string, { gateway, connection }: HandlerContext): Promise<boolean> {
  const opened = gateway.sessions.get(id);
  if (opened === undefined) {
    await gateway.host.session(id);
    return false;
  }
  await connection.leave(id);
  if (opened.followers > 0) return true;
  const { session } = opened;
  gateway.sessions.close(id);
  const { interrupted } = await session.interrupt({ from: connection.origin });
  // A session in which nothing was said has nothing that could end.
  if (interrupted || session.state.counts.turns > 0) await session.end("closed");
  gateway.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "closed" } });
  return true;
}
