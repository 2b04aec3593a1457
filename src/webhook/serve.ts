import type { ApiApp } from "../http/kit/context.ts";
import { type Listen, listen, type Listening } from "../http/kit/server.ts";

/** Listens on an address. @throws HostError `config_invalid` when it cannot be used */
export const serveApp = (app: ApiApp, { host, port }: Listen): Promise<Listening> =>
  listen(app, { host, port });
