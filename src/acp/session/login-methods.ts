import type { AcpRequest, AcpConnection } from "./connection.ts";
import type { VersionTypes } from "./protocol-version.ts";

/** Handlers for logging in and out. */
export function loginHandlers<W extends VersionTypes>(connection: AcpConnection<W>) {
  const { login } = connection;
  return {
    login: connection.handler(({ params }: AcpRequest<{ readonly methodId: string }>, { host }) => {
      login.login(params.methodId, host.services.models());
      return {};
    }),
    logout: connection.handler(() => {
      login.logout();
      return {};
    }),
    status: connection.handler((_context, { host }) => ({ state: login.state(host.services.models()) })),
  };
}
