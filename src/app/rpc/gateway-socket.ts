import { isJsonObject } from "../../shared/json/json.ts";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import { levelOf, type ServerLog, shownPath } from "../../http/server/access-log.ts";
import { hostCheck } from "../../http/server/hosts.ts";
import type { RpcGateway } from "../../rpc/rpc-gateway.ts";
import { SocketGateway } from "../../rpc/transport/web-socket.ts";
import type { AppSettings } from "../config/settings.ts";
import { listOf, webOrigins } from "../config/web-origins.ts";
import { machineNames } from "../process/machine-names.ts";
import { gatewayToken } from "./gateway-token.ts";

/** The gateway on WebSockets, with the credential and the names of this home. */
export interface GatewaySocket {
  readonly socket: SocketGateway;
  /** An address with everything that a client needs, while nobody has seen the token; the plain one later. */
  readonly ready: (url: string) => string;
  /** The address, and how to learn its token: for logs. */
  readonly logged: (url: string) => string;
}

/**
 * Makes the gateway's WebSocket side.
 *
 * @param more - the log, names of this server, and credentials beside the gateway's own
 * @throws HostError `config_invalid` for a token that cannot be used
 */
export function gatewaySocket(
  gateway: RpcGateway,
  settings: AppSettings,
  more: {
    readonly log: ServerLog;
    readonly hosts?: readonly string[];
    readonly keys?: readonly string[];
  },
): GatewaySocket {
  const { token, source, fresh } = gatewayToken(settings);
  const block = isJsonObject(settings.config["gateway"]) ? settings.config["gateway"] : {};
  const checks = [token, ...(more.keys ?? [])].map((secret) => secretCheck(secret));
  const names = [...machineNames(), ...(more.hosts ?? []), ...listOf(block["allowed_hosts"])];
  const socket = new SocketGateway((wire) => gateway.accept(wire), {
    admission: {
      isCredential: (given) => checks.some((check) => check(given)),
      isHost: hostCheck(names),
      origins: webOrigins(settings),
    },
    observe: (request, status) =>
      more.log({
        event: "gateway.request",
        level: levelOf(status),
        peer: request.socket.remoteAddress,
        path: shownPath(request.url ?? ""),
        status,
        agent: request.headers["user-agent"],
      }),
  });
  const logged = (url: string): string =>
    `${url} (the token is in ${source}; \`agent gateway token\` shows it)`;
  return { socket, logged, ready: (url) => (fresh ? `${url}?token=${token}` : logged(url)) };
}
