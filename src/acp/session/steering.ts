import { z } from "zod";
import { promptText, type UserPart } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { fenced } from "../projection/content-blocks.ts";
import type { AcpConnection, AcpRequest } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";

/** The method that adds text to a running turn: an extension of the protocol that editors agreed on. */
export const STEERING = "_session/steering";

const ResourceWire = z
  .object({ uri: z.string(), mimeType: z.string().nullish() })
  .and(z.union([z.object({ text: z.string() }), z.object({ blob: z.string() })]));

/** The params of a steering request: what can be said in words. */
export const SteeringWire = z.object({
  sessionId: z.string(),
  prompt: z.array(
    z.union([
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string() }),
      z.object({ type: z.literal("resource"), resource: ResourceWire }),
    ]),
  ),
  _meta: z
    .looseObject({ steering: z.looseObject({ idleBehavior: z.string().optional() }).optional() })
    .nullish(),
});

/** What a turn is told: with the words of what is attached, which come with no later prompt. */
const steeringText = (parts: readonly UserPart[]): string =>
  parts
    .map((part) => (part.type === "resource" ? `[${part.uri}]\n${fenced(part.text)}` : promptText([part])))
    .join("\n");

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
      if (await attached.steer(steeringText(prompt))) return { outcome: "injected" };
      if (meta?.steering?.idleBehavior === "promptRequired")
        return { outcome: "promptRequired", reason: "noRunningTurn" };
      const ended = prompting
        .send(attached, () => Promise.resolve(prompt), request)
        .then((pending) => pending.ended);
      // The turn outlives the answer, and is cancelled like any other.
      request.keepOpen(ended);
      ended
        .then((end) => version.steered(end))
        .catch((thrown: unknown) => attached.unlogged.notice("error", toHostError(thrown).message));
      return { outcome: "startedNewTurn" };
    },
  );
}
