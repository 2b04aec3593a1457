import { type Host, requirePersona, type SessionRecord } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { decode, switchOf } from "../../server/decode.ts";
import { HttpError } from "../../server/http-error.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { readMode } from "../../turns/session-mode.ts";
import { chooseModel } from "../../turns/model-choice.ts";
import { chatOnce, chatStream } from "./chat.ts";
import { encodeSession, lineageRoots } from "./encode.ts";
import { readSessionMessages } from "./messages.ts";
import { findSessionsByText } from "./search.ts";
import { answerInSession, listQuestions, SessionAnswer } from "./questions.ts";
import {
  readForkPoint,
  encodeCheckpoints,
  readCheckpointDiff,
  rewindSession,
  SessionRewind,
} from "./rewind.ts";
import {
  chosenId,
  readOptionalText,
  readListPage,
  readMessagePage,
  readPatch,
  readSource,
  SessionChat,
  SessionCreate,
  SessionFork,
  SessionPatchBody,
} from "./request.ts";

const ONE = "/api/sessions/{session_id}";

/** The routes of sessions. */
export const SESSION_ROUTES: readonly ApiRoute<ApiContext>[] = [
  route("GET /api/sessions", list, {
    id: "listSessions",
    summary: "List sessions",
    endpoint: "sessions",
    query: ["limit", "offset", "source", "include_children", "title", "search", "cursor"],
  }),
  route("POST /api/sessions", create, {
    id: "createSession",
    summary: "Make an empty session",
    endpoint: "session_create",
    body: SessionCreate,
    bodyOptional: true,
    status: 201,
  }),
  route(`GET ${ONE}`, async (c, { host }, id) => c.json(await one(host, id)), {
    id: "getSession",
    summary: "A session",
    endpoint: "session",
  }),
  route(`PATCH ${ONE}`, patch, {
    id: "patchSession",
    summary: "Change title, mode or persona, or end",
    endpoint: "session_update",
    body: SessionPatchBody,
  }),
  route(
    `GET ${ONE}/questions`,
    async (c, { host }, id) => c.json(await listQuestions(host, (await record(host, id)).id)),
    {
      id: "listQuestions",
      summary: "The open questions of a session",
      endpoint: "session_questions",
    },
  ),
  route(
    `POST ${ONE}/answer`,
    async (c, { host, settings }, id) => {
      const body = await readJsonObject(c, settings);
      return c.json(await answerInSession(host, (await record(host, id)).id, body));
    },
    {
      id: "answerQuestion",
      summary: "Answer an open question of a session",
      endpoint: "session_answer",
      body: SessionAnswer,
    },
  ),
  route(
    `POST ${ONE}/stop`,
    async (c, { host }, id) => {
      const session = await host.session((await record(host, id)).id);
      const { interrupted } = await session.interrupt({ from: { surface: "api" } });
      return c.json({ object: "agent.session.stop", session_id: session.id, stopped: interrupted });
    },
    { id: "stopSession", summary: "Stop the turn of a session", endpoint: "session_stop" },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, { host }, given) => {
      const { id } = await record(host, given);
      await host.delete(id);
      return c.json({ object: "agent.session.deleted", id, deleted: true });
    },
    { id: "deleteSession", summary: "Delete a session for good", endpoint: "session_delete" },
  ),
  route(`GET ${ONE}/messages`, messages, {
    id: "listMessages",
    summary: "The messages of a session",
    endpoint: "session_messages",
    query: ["limit", "offset", "order"],
  }),
  route(
    `GET ${ONE}/checkpoints`,
    async (c, { host }, id) =>
      c.json(await encodeCheckpoints(await host.session((await record(host, id)).id))),
    { id: "listCheckpoints", summary: "The turns to go back to", endpoint: "session_checkpoints" },
  ),
  route(
    `GET ${ONE}/checkpoints/{turn}/diff`,
    async (c, { host }, id) => {
      const session = await host.session((await record(host, id)).id);
      return c.json(await readCheckpointDiff(session, c.req.param("turn") ?? ""));
    },
    { id: "readCheckpointDiff", summary: "What a turn did to files", endpoint: "session_checkpoint_diff" },
  ),
  route(
    `POST ${ONE}/rewind`,
    async (c, { host, settings }, id) => {
      const body = await readJsonObject(c, settings);
      return c.json(await rewindSession(await host.session((await record(host, id)).id), body));
    },
    {
      id: "rewindSession",
      summary: "Go back to before a turn",
      endpoint: "session_rewind",
      body: SessionRewind,
    },
  ),
  route(`POST ${ONE}/fork`, fork, {
    id: "forkSession",
    summary: "Branch a session",
    endpoint: "session_fork",
    body: SessionFork,
    bodyOptional: true,
    status: 201,
  }),
  route(`POST ${ONE}/chat`, async (c, api, id) => await chatOnce(c, api, await record(api.host, id)), {
    id: "chatInSession",
    summary: "One turn, whole",
    endpoint: "session_chat",
    body: SessionChat,
    starts: true,
  }),
  route(
    `POST ${ONE}/chat/stream`,
    async (c, api, id) => await chatStream(c, api, await record(api.host, id)),
    {
      id: "streamInSession",
      summary: "One turn, as it goes",
      endpoint: "session_chat_stream",
      body: SessionChat,
      stream: "always",
      starts: true,
    },
  ),
];

/** @throws HttpError 404 `session_not_found` */
async function record(host: Host, id: string): Promise<SessionRecord> {
  const found = await host.record(id);
  if (found !== undefined) return found;
  throw new HttpError(404, `Session not found: ${id}`, { code: "session_not_found" });
}

/** Encodes a session as it is now. @throws HttpError 404 `session_not_found` */
async function one(host: Host, id: string) {
  const found = await record(host, id);
  const root = await lineageRoots(host)(found);
  return { object: "agent.session", session: encodeSession(found, { services: host.services, root }) };
}

async function list(c: HttpContext, api: ApiContext): Promise<Response> {
  const { host } = api;
  const page = readListPage(c);
  const { source, title, search } = c.req.query();
  if (search !== undefined && search.trim() !== "") return await findSessionsByText(c, api, search);
  const found = await host.list({
    ...page,
    includeChildren: switchOf(c.req.query("include_children"), false),
    includeEmpty: true,
    ...defined({ source: source || undefined, title: title || undefined }),
  });
  const { services } = host;
  const rootOf = lineageRoots(host);
  const data = await Promise.all(
    found.map(async (session) => encodeSession(session, { services, root: await rootOf(session) })),
  );
  return c.json({ object: "list", data, ...page, has_more: data.length === page.limit });
}

async function create(c: HttpContext, api: ApiContext): Promise<Response> {
  const { host, settings } = api;
  const body = decode(SessionCreate, await readJsonObject(c, settings, {}));
  const id = chosenId(body);
  const instructions = readOptionalText(body.system_prompt, "system_prompt");
  const choice = await chooseModel(c, api, { fields: body, lenient: false });
  const session = await host.open({
    platform: "api_server",
    source: readSource(body.source),
    cwd: settings.workspace,
    settings: { ...choice.settings, ...defined({ instructions }) },
    ...defined({ id, title: body.title?.trim() || undefined }),
  });
  return c.json(await one(host, session.id), 201);
}

async function patch(c: HttpContext, { host, settings }: ApiContext, given: string): Promise<Response> {
  const { id } = await record(host, given);
  const { title, endReason, mode: wanted, persona } = readPatch(await readJsonObject(c, settings));
  const mode = readMode(wanted, host);
  if (persona) await requirePersona(host.services.personas, persona);
  const session = await host.session(id);
  if (title === "") await session.clearTitle();
  else if (title !== undefined) await session.setTitle(title);
  const changes = defined({ mode, persona });
  if (Object.keys(changes).length > 0) await session.set(changes);
  if (endReason !== undefined) await session.end(endReason);
  return c.json(await one(host, id));
}

async function messages(c: HttpContext, { host }: ApiContext, given: string): Promise<Response> {
  const page = readMessagePage(c);
  const { id } = await record(host, given);
  const session = await host.session(id);
  await session.refresh();
  const data = await readSessionMessages(host.services.store, session, page);
  return c.json({ object: "list", session_id: id, data, pagination: { ...page, returned: data.length } });
}

async function fork(c: HttpContext, { host, settings }: ApiContext, given: string): Promise<Response> {
  const { id } = await record(host, given);
  const body = decode(SessionFork, await readJsonObject(c, settings, {}));
  const session = await host.branch(id, {
    evenEmpty: true,
    source: readSource(body.source),
    ...defined({
      id: chosenId(body),
      title: body.title?.trim() || undefined,
      before: readForkPoint(body.before),
    }),
  });
  return c.json(await one(host, session.id), 201);
}
