import { type AgentApp, methods } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import { keepingHandlers } from "../session/keeping-methods.ts";
import { loginHandlers } from "../session/login-methods.ts";
import { openingHandlers } from "../session/methods.ts";
import { promptingHandlers } from "../session/prompting-methods.ts";
import type { AcpConnection } from "../session/connection.ts";
import { STEERING, SteeringWire } from "../session/steering.ts";
import type { V1Types } from "./protocol.ts";

const { agent: on } = methods;

/** Adds every method of this version, but for the client's introduction. */
export function addMethods(app: AgentApp, connection: AcpConnection<V1Types>): void {
  const login = loginHandlers(connection);
  const opening = openingHandlers(connection);
  const keeping = keepingHandlers(connection);
  const prompting = promptingHandlers(connection);
  app
    .onRequest(on.authenticate, login.login)
    .onRequest(on.logout, login.logout)
    .onRequest(on.auth.status, login.status)
    .onRequest(on.session.new, opening.begin)
    .onRequest(
      on.session.load,
      opening.reopen(() => (attached) => attached.replay()),
    )
    .onRequest(
      on.session.resume,
      opening.reopen(() => () => undefined),
    )
    .onRequest(on.session.fork, opening.fork)
    .onRequest(on.session.list, keeping.list)
    .onRequest(on.session.setTitle, keeping.setTitle)
    .onRequest(on.session.setConfigOption, keeping.setOption)
    .onRequest(on.session.close, keeping.close)
    .onRequest(on.session.delete, keeping.delete)
    .onRequest(on.session.archive, keeping.archive)
    .onRequest(on.session.unarchive, keeping.unarchive)
    .onRequest(on.session.prompt, prompting.prompt)
    .onRequest(STEERING, SteeringWire, prompting.steer)
    .onNotification(on.session.cancel, prompting.cancel);
  addOwn(app, connection);
}

/** From before models were options; clients still send it. */
const SetModelWire = z.object({ sessionId: z.string(), modelId: z.string() });

/** What this version says in its own way. */
function addOwn(app: AgentApp, connection: AcpConnection<V1Types>): void {
  app
    .onRequest(
      on.session.status,
      connection.handler(async ({ params }, desk) => {
        if (desk.has(params.sessionId)) return { status: "open" };
        await desk.host.session(params.sessionId);
        return { status: "saved" };
      }),
    )
    .onRequest(
      on.session.setMode,
      connection.handler(async ({ params }, desk) => {
        await desk.choose(params.sessionId, { id: "mode", value: params.modeId });
        return {};
      }),
    )
    .onRequest(
      "session/set_model",
      SetModelWire,
      connection.handler(async ({ params }, desk) => {
        await desk.choose(params.sessionId, { id: "model", value: params.modelId });
        return {};
      }),
    );
}
