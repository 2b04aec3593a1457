import {
  type AgentApp,
  type AgentRequestContext,
  type ForkSessionRequest,
  methods,
  type ResumeSessionRequest,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { HostError } from "../../core/index.ts";
import { settingOf } from "../decode/session-setting.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import { listPage } from "../session/session-list.ts";
import type { V2Connection } from "./connection.ts";
import { mcpServers } from "./mcp-servers.ts";
import { availableCommands, configOptions } from "./options.ts";
import { stateOf } from "./state.ts";

const { session: on } = methods.agent;

/** The methods that make, open, list, set up and end sessions. */
export function addSessionHandlers(app: AgentApp, connection: V2Connection): void {
  addOpening(app, connection);
  addAsking(app, connection);
  app
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
    )
    .onRequest(
      on.setConfigOption,
      connection.handler(async ({ params }, desk) => {
        const { sessionId, configId, value } = params;
        const attached = await desk.choose(sessionId, { id: configId, value });
        return { configOptions: configOptions(attached.toldOptions()) };
      }),
    );
}

function addOpening(app: AgentApp, connection: V2Connection): void {
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
      on.resume,
      connection.handler(async (context, desk) => {
        connection.login.check();
        const { params } = context;
        const replays = wantsReplay(params);
        const attached = await desk.resume(params.sessionId, settingIn(params));
        if (replays) await attached.replay();
        // Whoever resumes learns what runs before the answer, not by it.
        attached.tellState();
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

function addAsking(app: AgentApp, connection: V2Connection): void {
  app
    .onRequest(
      on.list,
      connection.handler(({ params }, desk) => listPage(params, desk)),
    )
    .onRequest(
      on.status,
      connection.handler(async ({ params }, desk) => {
        const { sessionId } = params;
        if (desk.has(sessionId))
          return { status: "open", state: stateOf({ state: desk.get(sessionId).activity }) };
        await desk.host.session(sessionId);
        return { status: "saved" };
      }),
    );
}

type SettingParams = Pick<
  ForkSessionRequest,
  "cwd" | "additionalDirectories" | "mcpServers" | "systemPrompt"
>;

const settingIn = (params: SettingParams) => settingOf(params, mcpServers(params.mcpServers));

/** @throws HostError `invalid_params` for a replay from a place that is not known here */
function wantsReplay({ replayFrom }: ResumeSessionRequest): boolean {
  if (replayFrom === undefined || replayFrom === null) return false;
  if (replayFrom.type === "start") return true;
  throw new HostError(
    "invalid_params",
    `Invalid params: replayFrom.type: ${replayFrom.type} is not known; use "start".`,
    { details: { subject: "replayFrom.type" } },
  );
}

/** What can be chosen and run, for the answer; everything else about the session follows it. */
function opened(
  attached: AttachedSession,
  { requestId }: AgentRequestContext<unknown>,
  { parts }: V2Connection,
) {
  void parts.answers.after(requestId).then(() => attached.follow());
  return {
    configOptions: configOptions(attached.toldOptions()),
    availableCommands: availableCommands(attached.toldCommands()),
  };
}
