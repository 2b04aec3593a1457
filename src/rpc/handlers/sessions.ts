import { EFFORTS, type OpenOptions, type SettingsPatch, needFastTier } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { encodeListing, encodeLive } from "../encode/listing.ts";
import { seconds } from "../encode/time.ts";
import { attach } from "../gateway/attach.ts";
import type { OpenSession } from "../gateway/open-sessions.ts";
import type { Params } from "../protocol/methods.ts";
import type { Attached, SESSION_METHODS } from "../protocol/sessions.ts";
import type { Context, HandlersOf } from "./handler.ts";
import { personalInstructions } from "./instructions.ts";
import { givenMessages } from "./seed.ts";

export const SESSION_HANDLERS: HandlersOf<typeof SESSION_METHODS> = {
  async "session.create"(params, context) {
    const { desk } = context;
    const { session_id: wanted } = params;
    const make = async (): Promise<OpenSession> =>
      desk.sessions.open(await desk.host.open(await openOptions(params, context)));
    // What was sent right behind it, to an id of the client's own, waits until it is there.
    const opened = await (wanted === undefined ? make() : desk.lanes.run(wanted, make));
    const { id } = opened.session;
    if (params.close_on_disconnect) closeWithConnection(id, context);
    context.afterAnswer(() =>
      desk.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "created" } }),
    );
    return await attached(opened, { last_seen: undefined, omit_messages: false }, context);
  },

  async "session.list"({ limit, offset, search, source, cwd, include_children }, { desk }) {
    const records = await desk.host.list({
      limit,
      offset,
      includeChildren: include_children,
      ...defined({ search, source, cwd }),
    });
    return { sessions: records.map(encodeListing) };
  },

  async "session.active_list"({ current_session_id }, { desk }) {
    const sessions = desk.busyOrOpen();
    return {
      sessions: await Promise.all(sessions.map((each) => encodeLive(desk, each, current_session_id))),
    };
  },

  async "session.activate"(params, context) {
    const { desk } = context;
    const { session_id: id } = params;
    const session = await desk.lanes.run(id, () =>
      Promise.resolve(desk.busyOrOpen().find((each) => each.id === id)),
    );
    if (session === undefined) {
      throw new HostError(
        "session_not_found",
        `Session ${id} is not open here; session.resume opens stored ones.`,
      );
    }
    return await attached(desk.sessions.open(session), params, context);
  },

  async "session.resume"(params, context) {
    const { desk } = context;
    const session = await desk.host.find(params.session_id);
    if (params.close_on_disconnect) closeWithConnection(session.id, context);
    return { ...(await attached(desk.sessions.open(session), params, context)), resumed: session.id };
  },

  async "session.close"({ session_id: id }, context) {
    return { closed: await close(id, context) };
  },

  async "session.delete"({ session_id: id }, { desk, connection }) {
    const opened = desk.sessions.get(id);
    const others = (opened?.followers ?? 0) - (connection.follows(id) ? 1 : 0);
    const session = await desk.host.session(id);
    if (others > 0 || session.state.turn !== undefined) {
      throw new HostError("session_busy", `Session ${id} is in use: close it everywhere, then delete it.`);
    }
    await connection.leave(id);
    desk.sessions.close(id);
    await desk.host.delete(id);
    desk.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "deleted" } });
    return { deleted: id };
  },

  async "session.most_recent"(_params, { desk }) {
    const [newest] = await desk.host.list({ limit: 1, offset: 0 });
    if (newest === undefined) return { session_id: null };
    const { title, createdAt, source } = newest.state;
    return { session_id: newest.id, title, started_at: seconds(createdAt), source };
  },
};

function attached(
  opened: OpenSession,
  { last_seen, omit_messages }: Pick<Params<"session.activate">, "last_seen" | "omit_messages">,
  context: Context,
): Promise<Attached> {
  const { desk, connection, afterAnswer } = context;
  return attach(desk, opened, { connection, lastSeen: last_seen, omitMessages: omit_messages, afterAnswer });
}

async function openOptions(params: Params<"session.create">, { desk }: Context): Promise<OpenOptions> {
  const usual = desk.newSessionCwd();
  const wanted = params.cwd === undefined ? undefined : await desk.ports.files.look(params.cwd, usual);
  const cwd = wanted?.kind === "directory" ? wanted.path : usual;
  const history = givenMessages(params.messages);
  return {
    platform: "tui",
    source: params.source,
    cwd,
    settings: settingsOf(params, desk),
    ...(params.session_id === undefined ? {} : { id: params.session_id }),
    ...(params.title.trim() === "" ? {} : { title: params.title }),
    ...(params.parent_session_id === undefined ? {} : { parentId: params.parent_session_id }),
    ...(history.length === 0 ? {} : { history }),
  };
}

/** @throws HostError `model_*` for a model that cannot be used */
function settingsOf(
  { provider, model, reasoning_effort: reasoning, fast }: Params<"session.create">,
  { host, ports }: Context["desk"],
): SettingsPatch {
  const instructions = personalInstructions(ports.config.values());
  const models = host.services.models();
  const wanted = model === undefined || provider !== undefined ? { provider, model } : models.parse(model);
  const chosen = {
    ...(wanted.provider === undefined ? {} : { provider: wanted.provider }),
    ...(wanted.model === undefined ? {} : { model: wanted.model }),
  };
  if (Object.keys(chosen).length > 0) models.resolve(chosen);
  if (reasoning !== undefined && !EFFORTS.includes(reasoning)) {
    throw new HostError("invalid_params", `reasoning_effort is one of ${EFFORTS.join(", ")}.`, {
      details: { subject: "reasoning_effort" },
    });
  }
  if (fast === true) needFastTier(models, chosen);
  return {
    ...chosen,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(fast === true ? { fast } : {}),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function closeWithConnection(id: string, context: Context): void {
  const { desk, connection } = context;
  connection.whenClosed(() => {
    close(id, context).catch((thrown: unknown) => desk.report(thrown));
  });
}

/** `false` when it was not open here. An id that never existed is an error. */
async function close(id: string, { desk, connection }: Context): Promise<boolean> {
  const opened = desk.sessions.get(id);
  if (opened === undefined) {
    await desk.host.session(id);
    return false;
  }
  await connection.leave(id);
  if (opened.followers > 0) return true;
  const { session } = opened;
  desk.sessions.close(id);
  const { interrupted } = await session.interrupt({ from: connection.origin });
  // A session in which nothing was said has nothing that could end.
  if (interrupted || session.state.counts.turns > 0) await session.end("closed");
  desk.broadcast({ type: "sessions.changed", payload: { session_id: id, change: "closed" } });
  return true;
}
