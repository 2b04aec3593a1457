import { type AgentApp, methods } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import type { V1Connection } from "./connection.ts";
import { configOptions } from "./options.ts";

const { session: on } = methods.agent;

/** From before models were options; clients still send it. */
const SetModelWire = z.object({ sessionId: z.string(), modelId: z.string() });

/** The methods that choose how a session works. Each may come at any time; it counts from the next model call on. */
export function addSettingHandlers(app: AgentApp, connection: V1Connection): void {
  app
    .onRequest(
      on.setMode,
      connection.handler(async ({ params }, desk) => {
        await desk.choose(params.sessionId, { id: "mode", value: params.modeId });
        return {};
      }),
    )
    .onRequest(
      on.setConfigOption,
      connection.handler(async ({ params }, desk) => {
        const { sessionId, configId, value } = params;
        const attached = await desk.choose(sessionId, { id: configId, value });
        return { configOptions: configOptions(attached.toldOptions()) };
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
