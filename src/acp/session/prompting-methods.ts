import type { AcpRequest, AcpConnection } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";
import { steer, type SteeringParams } from "./steering.ts";
import type { InSession } from "./in-session.ts";

/** Handlers for sending words to a session, and stopping what they led to. */
export function promptingHandlers<W extends VersionTypes>(connection: AcpConnection<W>) {
  const { dialect, login } = connection;
  const { tickets } = connection.parts;
  return {
    prompt: connection.handler(
      async (
        { params, requestId }: AcpRequest<InSession & { readonly prompt: readonly W["block"][] }>,
        desk,
      ) => {
        const ticket = tickets.take(requestId, params.sessionId);
        const attached = desk.get(params.sessionId);
        login.check();
        const read = () => desk.read(attached, dialect.blocks(params.prompt));
        const open = await desk.prompt(attached, read, ticket);
        return await dialect.answer({ open, ticket });
      },
    ),
    steer: connection.handler(({ params, requestId }: AcpRequest<SteeringParams>, desk) =>
      steer(params, {
        desk,
        ticket: tickets.take(requestId, params.sessionId),
        ended: (end) => dialect.steered(end),
      }),
    ),
    /** A notification: whatever is in the way, nobody can be told. */
    cancel: async ({ params, client }: Pick<AcpRequest<InSession, W["client"]>, "params" | "client">) => {
      const desk = await connection.desk(client).catch(() => undefined);
      await desk?.cancel(params.sessionId);
    },
  };
}
