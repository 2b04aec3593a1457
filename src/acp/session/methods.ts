import type { AttachedSession } from "./attached-session.ts";
import type { ClientSessions } from "./client-sessions.ts";
import type { AcpConnection, AcpRequest } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";
import { forkPoint } from "./rewind.ts";
import { type ListParams, sessionPage } from "./session-list.ts";

interface InSession {
  readonly sessionId: string;
}

/** The handlers of the requests that every version of the protocol has, by method. */
export function sharedMethods<T extends VersionTypes>(connection: AcpConnection<T>) {
  return {
    ...openingMethods(connection),
    ...keepingMethods(connection),
    "auth/status": connection.handler((_request, { host }) => ({
      state: connection.login.state(host.services.models()),
    })),
    "session/prompt": promptMethod(connection),
  };
}

/** Methods that open a session. Everything that the answer does not say follows it. */
function openingMethods<T extends VersionTypes>(connection: AcpConnection<T>) {
  const { login, version } = connection;
  return {
    "session/new": connection.handler(async ({ params, requestId }: AcpRequest<T["opening"]>, sessions) => {
      login.check();
      const attached = await sessions.begin(version.setup(params));
      return { sessionId: attached.session.id, ...opened(connection, attached, requestId) };
    }),
    "session/fork": connection.handler(
      async ({ params, requestId }: AcpRequest<T["opening"] & InSession>, sessions) => {
        login.check();
        const attached = await sessions.fork(params.sessionId, version.setup(params), forkPoint(params));
        return { sessionId: attached.session.id, ...opened(connection, attached, requestId) };
      },
    ),
  };
}

/**
 * The handler of a method that opens a session again.
 *
 * @param prepare - looks at the params before anything is opened; the function that it gives runs before the answer
 */
export function reopenMethod<T extends VersionTypes, Params extends T["opening"] & InSession>(
  connection: AcpConnection<T>,
  prepare: (params: Params) => (attached: AttachedSession) => Promise<void> | void,
) {
  return connection.handler(async ({ params, requestId }: AcpRequest<Params>, sessions) => {
    connection.login.check();
    const beforeAnswer = prepare(params);
    const attached = await sessions.resume(params.sessionId, connection.version.setup(params));
    await beforeAnswer(attached);
    return opened(connection, attached, requestId);
  });
}

function opened<T extends VersionTypes>(
  { parts, version }: AcpConnection<T>,
  attached: AttachedSession,
  requestId: unknown,
): T["opened"] {
  void parts.answers.after(requestId).then(() => attached.follow());
  return version.opened(attached);
}

/** Methods that list, name, set up and end sessions. */
function keepingMethods<T extends VersionTypes>(connection: AcpConnection<T>) {
  const about = (run: (sessions: ClientSessions, id: string) => Promise<void>) =>
    connection.handler(({ params }: AcpRequest<InSession>, sessions) => run(sessions, params.sessionId));
  return {
    "session/list": connection.handler(({ params }: AcpRequest<ListParams>, sessions) =>
      sessionPage(params, sessions),
    ),
    "session/set_title": connection.handler(
      async ({ params }: AcpRequest<InSession & { readonly title: string }>, { host }) => ({
        title: await (await host.session(params.sessionId)).setTitle(params.title),
      }),
    ),
    "session/set_config_option": connection.handler(
      async (
        { params }: AcpRequest<InSession & { readonly configId: string; readonly value: unknown }>,
        sessions,
      ) => {
        const { sessionId, configId, value } = params;
        const attached = await sessions.choose(sessionId, { id: configId, value });
        return { configOptions: connection.version.options(attached.status.toldOptions()) };
      },
    ),
    "session/close": about((sessions, id) => sessions.close(id)),
    "session/delete": about((sessions, id) => sessions.delete(id)),
    "session/archive": about((sessions, id) => sessions.archive(id, true)),
    "session/unarchive": about((sessions, id) => sessions.archive(id, false)),
  };
}

function promptMethod<T extends VersionTypes>(connection: AcpConnection<T>) {
  const { login, parts, version } = connection;
  return connection.handler(
    async (
      { params, requestId }: AcpRequest<InSession & { readonly prompt: readonly T["block"][] }>,
      sessions,
    ) => {
      const request = parts.prompts.take(requestId, params.sessionId);
      const attached = sessions.get(params.sessionId);
      login.check();
      const read = () => sessions.prompting.read(attached, version.blocks(params.prompt));
      const pending = await sessions.prompting.send(attached, read, request);
      return await version.answer({ pending, request, capabilities: connection.capabilities });
    },
  );
}

/** Handlers that log in and out; each version has names of its own for them. */
export const loginMethods = <T extends VersionTypes>(connection: AcpConnection<T>) => ({
  login: connection.handler(({ params }: AcpRequest<{ readonly methodId: string }>, { host }) =>
    connection.login.login(params.methodId, host.services.models()),
  ),
  logout: connection.handler(() => connection.login.logout()),
});

/** The handler of `session/cancel`. It is a notification: a failure reaches nobody. */
export const cancelMethod =
  <T extends VersionTypes>(connection: AcpConnection<T>) =>
  async ({
    params,
    client,
  }: Pick<AcpRequest<InSession, T["client"]>, "params" | "client">): Promise<void> => {
    const sessions = await connection.sessions(client).catch(() => undefined);
    await sessions?.cancel(params.sessionId);
  };
