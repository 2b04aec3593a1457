import {
  type AgentApp,
  methods,
  type ResumeSessionRequest,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { HostError } from "../../shared/errors/host-error.ts";
import { keepingHandlers } from "../session/keeping-methods.ts";
import { loginHandlers } from "../session/login-methods.ts";
import { openingHandlers } from "../session/methods.ts";
import { promptingHandlers } from "../session/prompting-methods.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import type { AcpConnection } from "../session/connection.ts";
import { activityOf } from "../session/unlogged-updates.ts";
import { STEERING, SteeringWire } from "../session/steering.ts";
import type { V2Types } from "./protocol.ts";
import { stateOf } from "./state.ts";

const { agent: on } = methods;

/** Adds every method of this version, but for the client's introduction. */
export function addMethods(app: AgentApp, connection: AcpConnection<V2Types>): void {
  const login = loginHandlers(connection);
  const opening = openingHandlers(connection);
  const keeping = keepingHandlers(connection);
  const prompting = promptingHandlers(connection);
  app
    .onRequest(on.auth.login, login.login)
    .onRequest(on.auth.logout, login.logout)
    .onRequest(on.auth.status, login.status)
    .onRequest(on.session.new, opening.begin)
    .onRequest(on.session.resume, opening.reopen(resumed))
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
    .onNotification(on.session.cancel, prompting.cancel)
    .onRequest(
      on.session.status,
      connection.handler(async ({ params: { sessionId } }, desk) => {
        if (desk.has(sessionId))
          return { status: "open", state: stateOf({ state: activityOf(desk.get(sessionId).session.state) }) };
        await desk.host.session(sessionId);
        return { status: "saved" };
      }),
    );
}

function resumed(params: ResumeSessionRequest) {
  const replays = wantsReplay(params);
  return async (attached: AttachedSession): Promise<void> => {
    if (replays) await attached.replay();
    // Whoever resumes learns what runs before the answer, not by it.
    attached.unlogged.state();
  };
}

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
