import {
  type AgentApp,
  type AgentRequestContext,
  type ForkSessionRequest,
  methods,
} from "@agentclientprotocol/sdk/unstable";
import { settingOf } from "../decode/session-setting.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import { listPage } from "../session/session-list.ts";
import type { V1Connection } from "./connection.ts";
import { mcpServers } from "./mcp-servers.ts";
import { configOptions, modeState } from "./options.ts";

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
      on.archive,
      connection.handler(async ({ params }, desk) => {
        await desk.archive(params.sessionId, true);
        return {};
      }),
    )
    .onRequest(
      on.unarchive,
      connection.handler(async ({ params }, desk) => {
        await desk.archive(params.sessionId, false);
        return {};
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
        const attached = await desk.begin(settingIn(context.params));
        return { sessionId: attached.session.id, ...opened(attached, context, connection) };
      }),
    )
    .onRequest(
      on.load,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.resume(context.params.sessionId, settingIn(context.params));
        await attached.replay();
        return opened(attached, context, connection);
      }),
    )
    .onRequest(
      on.resume,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.resume(context.params.sessionId, settingIn(context.params));
        return opened(attached, context, connection);
      }),
    )
    .onRequest(
      on.fork,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const attached = await desk.fork(context.params.sessionId, settingIn(context.params));
        return { sessionId: attached.session.id, ...opened(attached, context, connection) };
      }),
    );
}

type SettingParams = Pick<
  ForkSessionRequest,
  "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt"
>;

const settingIn = (params: SettingParams) => settingOf(params, mcpServers(params.mcpServers));

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
