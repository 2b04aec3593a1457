import {
  type AgentApp,
  methods,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { errorRecord, toHostError } from "../../core/index.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import type { OpenPrompt } from "../session/prompt-desk.ts";
import { steer, STEERING, SteeringWire } from "../session/steering.ts";
import type { V2Connection } from "./connection.ts";
import { promptBlocks } from "./prompt-blocks.ts";

const { session: on } = methods.agent;

/** The methods that send words to a session, or stop what they led to. */
export function addPromptHandlers(app: AgentApp, connection: V2Connection): void {
  const { tickets } = connection.parts;
  app
    .onRequest(
      on.prompt,
      connection.handler(async ({ params, requestId }, desk) => {
        const ticket = tickets.take(requestId, params.sessionId);
        const attached = desk.get(params.sessionId);
        connection.login.check();
        const read = () => desk.read(attached, promptBlocks(params.prompt));
        const open = await desk.prompt(attached, read, ticket);
        // A cancel that comes after the answer is still meant for it.
        ticket.hold(open.ended);
        return await taken(open, attached);
      }),
    )
    .onRequest(
      STEERING,
      SteeringWire,
      connection.handler(({ params, requestId }, desk) =>
        steer(params, {
          desk,
          ticket: tickets.take(requestId, params.sessionId),
          // The state of the session says how it ended.
          ended: () => undefined,
        }),
      ),
    )
    .onNotification(on.cancel, (context) => connection.cancel(context));
}

/** Resolves when a prompt has become part of the conversation. @throws RequestError when it was taken back before */
async function taken(open: OpenPrompt, attached: AttachedSession): Promise<PromptResponse> {
  if (!(await open.started)) throw RequestError.requestCancelled();
  // What nobody foresaw ends it in no event.
  open.ended.catch((thrown: unknown) => attached.tellState("error", errorRecord(toHostError(thrown))));
  return { messageId: open.promptId };
}
