import { z } from "zod";
import { promptText } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { AcpConnection, AcpRequest } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";

/** The method that adds text to a running turn: an extension of the protocol that editors agreed on. */
export const STEERING = "_session/steering";

/** The params of a steering request: text, and names of resources. */
export const SteeringWire = z.object({
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

/** The handler of a steering request: it adds text to the turn that runs, or begins a turn with it. */
export function steeringMethod<T extends VersionTypes>(connection: AcpConnection<T>) {
  const { parts, version } = connection;
  return connection.handler(
    async ({ params, requestId }: AcpRequest<z.infer<typeof SteeringWire>>, sessions) => {
      const request = parts.prompts.take(requestId, params.sessionId);
      const attached = sessions.get(params.sessionId);
      const { prompting } = sessions;
      const { _meta: meta } = params;
      const prompt = await prompting.read(attached, params.prompt);
      if (await attached.steer(promptText(prompt))) return { outcome: "injected" };
      if (meta?.steering?.idleBehavior === "promptRequired")
        return { outcome: "promptRequired", reason: "noRunningTurn" };
      void prompting
        .send(attached, () => Promise.resolve(prompt), request)
        .then(async ({ ended }) => version.steered(await ended))
        .catch((thrown: unknown) => attached.unlogged.notice("error", toHostError(thrown).message));
      return { outcome: "startedNewTurn" };
    },
  );
}
