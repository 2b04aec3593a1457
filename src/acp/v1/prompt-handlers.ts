import { type AgentApp, type ContentBlock, methods } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import { promptText, toHostError } from "../../core/index.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import type { V1Connection } from "./connection.ts";
import { promptAnswer } from "./prompt-answer.ts";
import { userParts } from "./prompt-parts.ts";

const { session: on } = methods.agent;

/** What may be added to a running turn: words, and names of things. */
const SteeringWire = z.object({
  sessionId: z.string(),
  prompt: z.array(
    z.union([
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string() }),
    ]),
  ),
  _meta: z
    .looseObject({ steering: z.looseObject({ idleBehavior: z.string().optional() }).optional() })
    .nullish(),
});

/** The methods that send words to a session, or stop what they led to. */
export function addPromptHandlers(app: AgentApp, connection: V1Connection): void {
  const { tickets, host, process } = connection.parts;
  const read = async (attached: AttachedSession, blocks: readonly ContentBlock[]) =>
    userParts(blocks, {
      store: (await host).services.store,
      readText: (path, reach, limit) => process.readText(path, reach, limit),
      reach: attached.session.state,
    });
  app
    .onRequest(
      on.prompt,
      connection.handler(async ({ params, requestId }, desk) => {
        const ticket = tickets.take(requestId, params.sessionId);
        const attached = desk.get(params.sessionId);
        connection.login.check();
        return promptAnswer(await desk.prompt(attached, () => read(attached, params.prompt), ticket));
      }),
    )
    .onRequest(
      "_session/steering",
      SteeringWire,
      connection.handler(async ({ params, requestId }, desk) => {
        const ticket = tickets.take(requestId, params.sessionId);
        const attached = desk.get(params.sessionId);
        const parts = await read(attached, params.prompt);
        if (await desk.steer(attached, promptText(parts))) return { outcome: "injected" };
        const { _meta: meta } = params;
        if (meta?.steering?.idleBehavior === "promptRequired")
          return { outcome: "promptRequired", reason: "noRunningTurn" };
        // The client was answered: how the turn ends is told in the thread.
        void desk
          .prompt(attached, () => Promise.resolve(parts), ticket)
          .then(promptAnswer)
          .catch((thrown: unknown) => attached.notice("error", toHostError(thrown).message));
        return { outcome: "startedNewTurn" };
      }),
    )
    .onNotification(on.cancel, async ({ params, client }) => {
      const desk = await connection.desk(client);
      // Nothing to stop in a session that is not open here.
      if (!desk.has(params.sessionId)) return;
      await desk
        .get(params.sessionId)
        .cancel()
        .catch((thrown: unknown) => desk.host.services.report(toHostError(thrown)));
    });
}
