import type { Asked, Connection } from "../session/connection.ts";
import type { Wording } from "../session/dialect.ts";

/** Handlers for logging in and out. */
export function loginHandlers<W extends Wording>(connection: Connection<W>) {
  const { login } = connection;
  return {
    login: connection.handler(({ params }: Asked<{ readonly methodId: string }>, { host }) => {
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
