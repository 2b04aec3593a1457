import type { AcpRequest, AcpConnection } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";
import { type ListParams, sessionPage } from "./session-list.ts";
import type { InSession } from "./in-session.ts";

/** Handlers for listing, naming, setting up and ending sessions. */
export function keepingHandlers<W extends VersionTypes>(connection: AcpConnection<W>) {
  return {
    list: connection.handler(({ params }: AcpRequest<ListParams>, desk) => sessionPage(params, desk)),
    setTitle: connection.handler(
      async ({ params }: AcpRequest<InSession & { readonly title: string }>, { host }) => ({
        title: await (await host.session(params.sessionId)).setTitle(params.title),
      }),
    ),
    setOption: connection.handler(
      async (
        { params }: AcpRequest<InSession & { readonly configId: string; readonly value: unknown }>,
        desk,
      ) => {
        const { sessionId, configId, value } = params;
        const attached = await desk.choose(sessionId, { id: configId, value });
        return { configOptions: connection.dialect.options(attached.toldOptions()) };
      },
    ),
    close: connection.handler(async ({ params }: AcpRequest<InSession>, desk) => {
      await desk.close(params.sessionId);
      return {};
    }),
    delete: connection.handler(async ({ params }: AcpRequest<InSession>, desk) => {
      await desk.delete(params.sessionId);
      return {};
    }),
    archive: connection.handler(async ({ params }: AcpRequest<InSession>, desk) => {
      await desk.archive(params.sessionId, true);
      return {};
    }),
    unarchive: connection.handler(async ({ params }: AcpRequest<InSession>, desk) => {
      await desk.archive(params.sessionId, false);
      return {};
    }),
  };
}
