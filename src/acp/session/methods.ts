import type { AttachedSession } from "./attached-session.ts";
import type { AcpRequest, AcpConnection } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";
import type { InSession } from "./in-session.ts";

/** What is done to a session that was opened again, before its client is answered. */
type Then = (attached: AttachedSession) => Promise<void> | void;

/** Handlers for making sessions and opening those that there are. */
export function openingHandlers<W extends VersionTypes>(connection: AcpConnection<W>) {
  const { dialect, login, parts } = connection;
  type Opening = W["opening"];

  /** What the answer says; everything else about the session follows it. */
  const opened = (attached: AttachedSession, requestId: unknown): W["opened"] => {
    void parts.answers.after(requestId).then(() => attached.follow());
    return dialect.opened(attached);
  };
  return {
    begin: connection.handler(async ({ params, requestId }: AcpRequest<Opening>, desk) => {
      login.check();
      const attached = await desk.begin(dialect.setting(params));
      return { sessionId: attached.session.id, ...opened(attached, requestId) };
    }),
    fork: connection.handler(async ({ params, requestId }: AcpRequest<Opening & InSession>, desk) => {
      login.check();
      const attached = await desk.fork(params.sessionId, dialect.setting(params));
      return { sessionId: attached.session.id, ...opened(attached, requestId) };
    }),
    /** @param prepare - looks at the params before anything is opened */
    reopen: <Params extends Opening & InSession>(prepare: (params: Params) => Then) =>
      connection.handler(async ({ params, requestId }: AcpRequest<Params>, desk) => {
        login.check();
        const then = prepare(params);
        const attached = await desk.resume(params.sessionId, dialect.setting(params));
        await then(attached);
        return opened(attached, requestId);
      }),
  };
}
