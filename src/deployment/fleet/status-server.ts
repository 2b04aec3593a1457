import { Hono } from "hono";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { HttpApp, HttpContext, HttpEnv } from "../../http/server/context.ts";
import { levelOf, type ServerLog } from "../../http/server/access-log.ts";
import { setHeaders } from "../../http/server/security-headers.ts";
import type { Fleet, FleetStatus } from "./fleet.ts";
import { statusJson, statusPage } from "./status-document.ts";

/** Where a panel serves, below its address. */
export const FLEET_PATH = "/api/plugins/agent-infra-panel";

const LARGEST_HEARTBEAT = 4096;
/** Nothing but its own style. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The panel of a fleet: the public status, and the door for heartbeats. */
export function fleetApp(
  fleet: Fleet,
  options: { readonly report: (error: HostError) => void; readonly log: ServerLog },
): HttpApp {
  const app: HttpApp = new Hono<HttpEnv>();
  app.use("*", async (c, next) => {
    setHeaders(c);
    c.header("cache-control", "no-store");
    await next();
    const { status } = c.res;
    options.log({
      event: "fleet.request",
      level: levelOf(status),
      peer: c.env?.incoming?.socket.remoteAddress,
      method: c.req.method,
      path: c.req.path,
      status,
    });
  });
  const status = (): Promise<FleetStatus> => fleet.status();
  app.get(`${FLEET_PATH}/status`, async (c) => {
    // Anybody may read it, also a page elsewhere.
    c.header("access-control-allow-origin", "*");
    return c.json(statusJson(await status()));
  });
  app.get(`${FLEET_PATH}/status.html`, async (c) => {
    c.header("content-security-policy", PAGE_POLICY);
    return c.html(statusPage(await status()));
  });
  app.post(`${FLEET_PATH}/heartbeat`, async (c) => await heartbeat(c, fleet));
  app.get("/health", (c) => c.json({ status: "ok", platform: "fleet" }));
  app.notFound((c) => c.json({ error: "There is nothing here." }, 404));
  app.onError((thrown, c) => {
    const error = toHostError(thrown);
    if (error.code === "unauthorized") return c.json({ error: error.message }, 401);
    if (error.code === "invalid_params") return c.json({ error: error.message }, 400);
    options.report(error);
    return c.json({ error: "Not available at the moment." }, 503);
  });
  return app;
}

async function heartbeat(c: HttpContext, fleet: Fleet): Promise<Response> {
  const token = /^bearer +(.*)$/is.exec(c.req.header("authorization") ?? "")?.[1]?.trim() ?? "";
  if (Number(c.req.header("content-length") ?? Number.POSITIVE_INFINITY) > LARGEST_HEARTBEAT) {
    return c.json({ error: "A heartbeat is small, and says how large it is." }, 413);
  }
  const body = parseForeignJson(await c.req.text());
  const { instance, version } = isJsonObject(body) ? body : {};
  await fleet.heartbeat(
    typeof instance === "string" ? instance : "",
    token,
    typeof version === "string" ? version : undefined,
  );
  return c.json({ status: "ok" });
}
