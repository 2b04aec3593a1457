import type { Host, Platform, SessionRecord } from "../../../core/index.ts";
import { decode, switchOf } from "../../server/decode.ts";
import type { HttpApp, HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { HttpError } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { chooseModel } from "../../turns/model-choice.ts";
import { chatOnce, chatStream } from "./chat.ts";
import { encodeSession } from "./encode.ts";
import { readSessionMessages } from "./messages.ts";
import {
  chosenId,
  readListPage,
  optionalText,
  readMessagePage,
  readPatch,
  SessionCreate,
  SessionFork,
} from "./request.ts";

export function sessionRoutes(app: HttpApp, api: ApiContext): void {
  const { host } = api;
  app.get("/api/sessions", async (c) => await list(c, host));
  app.post("/api/sessions", async (c) => await create(c, api));
  app.get("/api/sessions/:session", async (c) => c.json(one(host, await record(host, c))));
  app.patch("/api/sessions/:session", async (c) => await patch(c, api));
  app.get("/api/sessions/:session/messages", async (c) => await messages(c, host));
  app.post("/api/sessions/:session/fork", async (c) => await fork(c, api));
  app.post("/api/sessions/:session/chat", async (c) => await chatOnce(c, api, await record(host, c)));
  app.post(
    "/api/sessions/:session/chat/stream",
    async (c) => await chatStream(c, api, await record(host, c)),
  );

  app.delete("/api/sessions/:session", async (c) => {
    const { id } = await record(host, c);
    await host.delete(id);
    return c.json({ object: "agent.session.deleted", id, deleted: true });
  });
}

/** @throws HttpError 404 `session_not_found` */
async function record(host: Host, c: HttpContext): Promise<SessionRecord> {
  const id = c.req.param("session") ?? "";
  const found = await host.record(id);
  if (found !== undefined) return found;
  throw new HttpError(404, `Session not found: ${id}`, { code: "session_not_found" });
}

const one = (host: Host, found: SessionRecord) => ({
  object: "agent.session",
  session: encodeSession(found, host.services.models()),
});

async function list(c: HttpContext, host: Host): Promise<Response> {
  const page = readListPage(c);
  const { source, title, search } = c.req.query();
  const found = await host.list({
    ...page,
    includeChildren: switchOf(c.req.query("include_children"), false),
    includeEmpty: true,
    ...(source === undefined || source === "" ? {} : { source }),
    ...(title === undefined || title === "" ? {} : { title }),
    ...(search === undefined || search === "" ? {} : { search }),
  });
  const models = host.services.models();
  const data = found.map((session) => encodeSession(session, models));
  return c.json({ object: "list", data, ...page, has_more: data.length === page.limit });
}

const PLATFORMS: readonly string[] = [
  "cli",
  "tui",
  "acp",
  "api_server",
  "webhook",
  "job",
  "library",
] satisfies Platform[];

async function create(c: HttpContext, { host, settings }: ApiContext): Promise<Response> {
  const body = decode(SessionCreate, await readJsonObject(c, settings, {}));
  const id = chosenId(body);
  const instructions = optionalText(body.system_prompt, "system_prompt");
  const title = body.title?.trim() ?? "";
  const source = body.source?.trim() ?? "";
  const models = host.services.models();
  const choice = chooseModel(c, body, { models, advertised: settings.modelName, lenient: false });
  const session = await host.open({
    platform: "api_server",
    source: PLATFORMS.includes(source) ? source : "api_server",
    cwd: settings.workspace,
    settings: { ...choice.settings, ...(instructions === undefined ? {} : { instructions }) },
    ...(id === undefined ? {} : { id }),
    ...(title === "" ? {} : { title }),
  });
  return c.json(one(host, await fresh(host, session.id)), 201);
}

async function fresh(host: Host, id: string): Promise<SessionRecord> {
  const found = await host.record(id);
  if (found === undefined)
    throw new HttpError(404, `Session not found: ${id}`, { code: "session_not_found" });
  return found;
}

async function patch(c: HttpContext, { host, settings }: ApiContext): Promise<Response> {
  const { id } = await record(host, c);
  const { title, endReason } = readPatch(await readJsonObject(c, settings));
  const session = await host.session(id);
  if (title === "") await session.clearTitle();
  else if (title !== undefined) await session.setTitle(title);
  if (endReason !== undefined) await session.end(endReason);
  return c.json(one(host, await fresh(host, id)));
}

async function messages(c: HttpContext, host: Host): Promise<Response> {
  const page = readMessagePage(c);
  const { id } = await record(host, c);
  const session = await host.session(id);
  await session.refresh();
  const data = await readSessionMessages(host.services.store, session, page);
  return c.json({ object: "list", session_id: id, data, pagination: { ...page, returned: data.length } });
}

async function fork(c: HttpContext, { host, settings }: ApiContext): Promise<Response> {
  const { id } = await record(host, c);
  const body = decode(SessionFork, await readJsonObject(c, settings, {}));
  const newId = chosenId(body);
  const title = body.title?.trim() ?? "";
  const session = await host.branch(id, {
    evenEmpty: true,
    ...(newId === undefined ? {} : { id: newId }),
    ...(title === "" ? {} : { title }),
  });
  return c.json(one(host, await fresh(host, session.id)), 201);
}
