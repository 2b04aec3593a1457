import {
  type AgentApp,
  type AgentRequestContext,
  type ListSessionsRequest,
  type ListSessionsResponse,
  methods,
} from "@agentclientprotocol/sdk/unstable";
import { HostError } from "../../core/index.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import type { SessionDesk } from "../session/session-desk.ts";
import type { V1Connection } from "./connection.ts";
import { configOptions, modeState } from "./options.ts";
import { settingOf } from "./session-setting.ts";

const { session: on } = methods.agent;

/** The methods that make, open, list and end sessions. */
export function addSessionHandlers(app: AgentApp, connection: V1Connection): void {
  addOpening(app, connection);
  app
    .onRequest(
      on.list,
      connection.handler(({ params }, desk) => listPage(params, desk)),
    )
    .onRequest(
      on.close,
      connection.handler(async ({ params }, desk) => {
        await desk.close(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      on.delete,
      connection.handler(async ({ params }, desk) => {
        await desk.delete(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      on.status,
      connection.handler(async ({ params }, desk) => {
        if (desk.has(params.sessionId)) return { status: "open" };
        await desk.host.session(params.sessionId);
        return { status: "saved" };
      }),
    )
    .onRequest(
      on.setTitle,
      connection.handler(async ({ params }, { host }) => ({
        title: await (await host.session(params.sessionId)).setTitle(params.title),
      })),
    );
}

function addOpening(app: AgentApp, connection: V1Connection): void {
  app
    .onRequest(
      on.new,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.begin(settingOf(context.params));
        return { sessionId: attached.session.id, ...opened(attached, context, connection) };
      }),
    )
    .onRequest(
      on.load,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.resume(context.params.sessionId, settingOf(context.params));
        await attached.replay();
        return opened(attached, context, connection);
      }),
    )
    .onRequest(
      on.resume,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.resume(context.params.sessionId, settingOf(context.params));
        return opened(attached, context, connection);
      }),
    )
    .onRequest(
      on.fork,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.fork(context.params.sessionId, settingOf(context.params));
        return { sessionId: attached.session.id, ...opened(attached, context, connection) };
      }),
    );
}

/** What can be chosen, for the answer; everything else about the session follows it. */
function opened(
  attached: AttachedSession,
  { requestId }: AgentRequestContext<unknown>,
  { parts }: V1Connection,
) {
  const options = attached.toldOptions();
  const modes = modeState(options);
  void parts.answers.after(requestId).then(() => attached.follow());
  return { configOptions: configOptions(options), ...(modes === undefined ? {} : { modes }) };
}

async function listPage(
  { cwd, cursor }: ListSessionsRequest,
  desk: SessionDesk,
): Promise<ListSessionsResponse> {
  const where = cwd === undefined || cwd === null ? {} : { cwd };
  const { sessions, next } = await desk.list({ offset: offsetIn(cursor ?? undefined), ...where });
  return {
    sessions: sessions.map(({ id, state: { cwd: folder, roots, title, preview, activeAt } }) => {
      const others = roots.filter((root) => root !== folder);
      return {
        sessionId: id,
        cwd: folder,
        title: title === "" ? preview || null : title,
        updatedAt: new Date(activeAt).toISOString(),
        ...(others.length === 0 ? {} : { additionalDirectories: others }),
      };
    }),
    ...(next === undefined ? {} : { nextCursor: `after-${next}` }),
  };
}

/** @throws HostError `invalid_params` for a cursor that no list gave */
function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = /^after-(\d{1,9})$/.exec(cursor)?.[1];
  if (offset !== undefined) return Number(offset);
  throw new HostError("invalid_params", "Invalid params: cursor: it is none that a list gave.", {
    details: { subject: "cursor" },
  });
}
