import type { Asked, Connection } from "../session/connection.ts";
import type { Wording } from "../session/dialect.ts";
import { type ListParams, listPage } from "../session/session-list.ts";
import type { InSession } from "./in-session.ts";

/** Handlers for listing, naming, setting up and ending sessions. */
export function keepingHandlers<W extends Wording>(connection: Connection<W>) {
  return {
    list: connection.handler(({ params }: Asked<ListParams>, desk) => listPage(params, desk)),
    setTitle: connection.handler(
      async ({ params }: Asked<InSession & { readonly title: string }>, { host }) => ({
        title: await (await host.session(params.sessionId)).setTitle(params.title),
      }),
    ),
    setOption: connection.handler(
      async ({ params }: Asked<InSession & { readonly configId: string; readonly value: unknown }>, desk) => {
        const { sessionId, configId, value } = params;
        const attached = await desk.choose(sessionId, { id: configId, value });
        return { configOptions: connection.dialect.options(attached.toldOptions()) };
      },
    ),
    close: connection.handler(async ({ params }: Asked<InSession>, desk) => {
      await desk.close(params.sessionId);
      return {};
    }),
    delete: connection.handler(async ({ params }: Asked<InSession>, desk) => {
      await desk.delete(params.sessionId);
      return {};
    }),
    archive: connection.handler(async ({ params }: Asked<InSession>, desk) => {
      await desk.archive(params.sessionId, true);
      return {};
    }),
    unarchive: connection.handler(async ({ params }: Asked<InSession>, desk) => {
      await desk.archive(params.sessionId, false);
      return {};
    }),
  };
}
