import { type AgentApp, methods } from "@agentclientprotocol/sdk/unstable";
import { steer, STEERING, SteeringWire } from "../session/steering.ts";
import type { V1Connection } from "./connection.ts";
import { promptAnswer } from "./prompt-answer.ts";

const { session: on } = methods.agent;

/** The methods that send words to a session, or stop what they led to. */
export function addPromptHandlers(app: AgentApp, connection: V1Connection): void {
  const { tickets } = connection.parts;
  app
    .onRequest(
      on.prompt,
      connection.handler(async ({ params, requestId }, desk) => {
        const ticket = tickets.take(requestId, params.sessionId);
        const attached = desk.get(params.sessionId);
        connection.login.check();
        const open = await desk.prompt(attached, () => desk.read(attached, params.prompt), ticket);
        return promptAnswer(await open.ended);
      }),
    )
    .onRequest(
      STEERING,
      SteeringWire,
      connection.handler(({ params, requestId }, desk) =>
        steer(params, {
          desk,
          ticket: tickets.take(requestId, params.sessionId),
          ended: (end) => void promptAnswer(end),
        }),
      ),
    )
    .onNotification(on.cancel, (context) => connection.cancel(context));
}
