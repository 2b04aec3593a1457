import { z } from "zod";
import { promptText } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { PromptEnd } from "./pending-prompts.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import type { ClientSessions } from "./client-sessions.ts";

export const STEERING = "_session/steering";

/** What may be added to a running turn: words, and names of things. */
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

export type SteeringParams = z.infer<typeof SteeringWire>;

export interface SteeringPorts {
  readonly desk: ClientSessions;
  readonly ticket: PromptRequest;
  /** Looks at how a turn ended that the client was not told of by an answer; what it throws is told in the thread. */
  readonly ended: (end: PromptEnd) => void;
}

/** Adds words to the turn that runs, or begins one with them. */
export async function steer(
  { sessionId, prompt, _meta: meta }: SteeringParams,
  { desk, ticket, ended }: SteeringPorts,
) {
  const attached = desk.get(sessionId);
  const parts = await desk.read(attached, prompt);
  if (await desk.steer(attached, promptText(parts))) return { outcome: "injected" };
  if (meta?.steering?.idleBehavior === "promptRequired")
    return { outcome: "promptRequired", reason: "noRunningTurn" };
  void desk
    .prompt(attached, () => Promise.resolve(parts), ticket)
    .then(async (open) => ended(await open.ended))
    .catch((thrown: unknown) => attached.unlogged.notice("error", toHostError(thrown).message));
  return { outcome: "startedNewTurn" };
}
