import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { invalidParam } from "../connection/request-error.ts";
import type { AcpConnection, AcpRequest } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";

/** The methods that list places to go back to, and go back: extensions, as the protocol has none yet. */
export const CHECKPOINTS = "_session/checkpoints";
export const REWIND = "_session/rewind";

const Turn = z.union([z.string(), z.int()]);

/** The params of a request for the places to go back to; with `turn`, for what that one changed. */
export const CheckpointsWire = z.object({ sessionId: z.string(), turn: Turn.optional() });

/** The params of a rewind. */
export const RewindWire = z.object({
  sessionId: z.string(),
  turn: Turn,
  scope: z.enum(["conversation", "files", "both"]).default("both"),
  paths: z.array(z.string()).optional(),
  force: z.boolean().optional(),
  preview: z.boolean().optional(),
});

/** The handler of a request for the places to go back to, or for the diff of one. */
export const checkpointsMethod = <T extends VersionTypes>(connection: AcpConnection<T>) =>
  connection.handler(async ({ params }: AcpRequest<z.infer<typeof CheckpointsWire>>, { host }) => {
    const session = await host.session(params.sessionId);
    if (params.turn !== undefined) return { diff: await session.checkpointDiff(params.turn) };
    return { checkpoints: await session.checkpoints() };
  });

/** The handler of a rewind. */
export const rewindMethod = <T extends VersionTypes>(connection: AcpConnection<T>) =>
  connection.handler(async ({ params }: AcpRequest<z.infer<typeof RewindWire>>, { host }) => {
    const { sessionId, preview, turn, scope, paths, force } = params;
    const session = await host.session(sessionId);
    const wish = { turn, scope, ...defined({ paths, force }) };
    return preview === true ? await session.previewRewind(wish) : await session.rewind(wish);
  });

const ForkMeta = z.looseObject({ rewind: z.looseObject({ before: Turn.optional() }).optional() }).nullish();

/**
 * The turn before which a fork ends, which the protocol has no field for: `_meta.rewind.before`.
 *
 * @throws HostError `invalid_params` when it can be none
 */
export function forkPoint(params: object): string | number | undefined {
  const meta: unknown = Object.getOwnPropertyDescriptor(params, "_meta")?.value;
  const { data, success } = ForkMeta.safeParse(meta);
  // A copy of everything is not what was asked for.
  if (!success) throw invalidParam("_meta.rewind.before", "it is the id of a turn, or its number");
  return data?.rewind?.before;
}
