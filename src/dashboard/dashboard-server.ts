import { Hono } from "hono";
import type { Host, Records } from "../core/index.ts";
import type { ServerLog } from "../http/server/access-log.ts";
import { defined } from "../shared/json/defined.ts";
import { addRoutes } from "../http/server/api-route.ts";
import type { HttpApp, HttpEnv } from "../http/server/context.ts";
import { openApiRoute } from "../http/server/openapi.ts";
import { type AccessCheck, installMiddleware, withoutSlash } from "../http/server/middleware.ts";
import type { ListenAddress } from "../http/server/open-port.ts";
import { type HttpServer, listen } from "../http/server/server.ts";
import { AUDIT_ROUTES } from "./api/audit-routes.ts";
import type { DashboardApi, DashboardRoute } from "./api/dashboard-api.ts";
import { EXPORT_ROUTES } from "./api/export-routes.ts";
import { OPENID_ROUTES } from "./api/openid-routes.ts";
import { SIGN_IN_ROUTES } from "./api/sign-in-routes.ts";
import { AuditLog } from "./audit/audit-log.ts";
import { pageAccess } from "./server/page-access.ts";
import { PageSockets, type TakeOver } from "./server/page-sockets.ts";
import { serveStaticPages } from "./server/static-pages.ts";
import { AccountDrafts } from "./sign-in/account-drafts.ts";
import { Activation, type ActivationPorts } from "./sign-in/activation.ts";
import { SignInAttempts } from "./sign-in/attempts.ts";
import { CookieSessions } from "./sign-in/cookie-sessions.ts";
import { EntryCodes } from "./sign-in/entry-codes.ts";
import { OpenId, type OpenIdParts } from "./sign-in/openid.ts";
import { OperatorAccounts } from "./sign-in/operator-account.ts";
import { SignIn } from "./sign-in/sign-in.ts";

/** The parts of the operator dashboard. */
export interface DashboardOptions {
  readonly host: Pick<Host, "services" | "session">;
  readonly records: Records;
  readonly log: ServerLog;
  /** Folder of the built pages. */
  readonly pages: string;
  /** Names of this server beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Only a Box is activated. */
  readonly activation?: ActivationPorts;
  /** The team's own identity provider. */
  readonly openId?: Pick<OpenIdParts, "settings" | "fetch">;
  /** The routes of pages beside those of sign-in and audit. */
  readonly routes: readonly DashboardRoute[];
  /** Takes over the gateway's WebSocket of who is signed in. */
  readonly gateway: TakeOver;
  /** Who else has pages on this server, with an API that they check themselves. */
  readonly guest?: Guest;
}

/** An API beside the dashboard's own, on the same server. */
export interface Guest {
  /** The beginning of its paths. */
  readonly prefix: string;
  /** Who may ask there; the host's name was checked. */
  readonly check: AccessCheck;
  addTo(app: HttpApp): void;
}

/** The operator dashboard without a socket. */
export interface Dashboard {
  readonly app: HttpApp;
  readonly entryCodes: EntryCodes;
  listen(address: ListenAddress): Promise<HttpServer>;
  /** Ends the connections of its pages. */
  close(): void;
}

/** Makes the operator dashboard of a home. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { records, log, hostNames } = options;
  const { clock, hex, redactor } = options.host.services;
  const audit = new AuditLog(records, { clock, hex });
  const sessions = new CookieSessions(records, clock);
  const entryCodes = new EntryCodes(records, clock);
  const activation = options.activation && new Activation(records, options.activation);
  const signIn = new SignIn({
    accounts: new OperatorAccounts(records),
    drafts: new AccountDrafts(records, clock),
    attempts: new SignInAttempts(records, clock),
    sessions,
    entryCodes,
    audit,
    clock,
    ...(activation === undefined ? {} : { activation }),
    ...(options.openId === undefined ? {} : { openId: new OpenId({ records, clock, ...options.openId }) }),
  });
  if (activation !== undefined && (await signIn.state()) === "activate") await activation.renew();
  const api: DashboardApi = { host: options.host, signIn, sessions, audit };
  const routes: readonly DashboardRoute[] = [
    openApiRoute<DashboardApi>(DOCUMENT, () => routes),
    ...SIGN_IN_ROUTES,
    ...OPENID_ROUTES,
    ...AUDIT_ROUTES,
    ...EXPORT_ROUTES,
    ...options.routes,
  ];
  const app: HttpApp = new Hono<HttpEnv>({ strict: false });
  installMiddleware(app, {
    check: pageAccess({ signIn, hostNames, ...pathRules(routes), ...defined({ guest: options.guest }) }),
    paths: "The dashboard's first page is at /.",
    clock,
    log: quietReads(log),
    redactor,
    observe: () => undefined,
    newId: () => `req_${hex(8)}`,
  });
  addRoutes(app, api, routes);
  options.guest?.addTo(app);
  await serveStaticPages(app, options.pages, pageOf);
  const sockets = new PageSockets({ signIn, sessions, hostNames, clock, takeOver: options.gateway });
  sessions.onEnd((id) => sockets.end(id));
  return {
    app,
    entryCodes,
    listen: (address) =>
      listen(app, address, (request, socket, head) => {
        // Until it is known who asks, the socket is this function's.
        socket.on("error", () => socket.destroy());
        void sockets.upgrade(request, socket, head).catch(() => socket.destroy());
        return true;
      }),
    close: () => sockets.close(),
  };
}

const pathRules = (routes: readonly DashboardRoute[]) => ({
  isOpen: isPathOf(routes.filter(({ open }) => open === true)),
  takesFile: isPathOf(routes.filter(({ file }) => file === true)),
});

function isPathOf(routes: readonly DashboardRoute[]): (path: string) => boolean {
  const paths = new Set(routes.map(({ path }) => path));
  return (path) => paths.has(withoutSlash(path));
}

/** Pages look again and again: what they only read is for who looks for it, or the log that they show would fill itself. */
const quietReads =
  (log: ServerLog): ServerLog =>
  (record) => {
    const isRead = record.level === "info" && record["method"] === "GET";
    log(isRead ? { ...record, level: "debug" } : record);
  };

/** The dashboard's own API has no versions: its pages come with it. */
const DOCUMENT = {
  address: "GET /dashboard/api/openapi.json",
  title: "Agent dashboard",
  version: "1",
  security: { cookie: { type: "apiKey", in: "cookie", name: "__Host-agent" } },
} as const;

/** Addresses of other servers of this machine are no pages; a name with an ending is a file that is not there. */
const NO_PAGE = /^\/(?:dashboard\/api|app\/api|api|v1|webhooks|health)(?:\/|$)|\.\w+$/;

const pageOf = (path: string) =>
  NO_PAGE.test(path) ? undefined : /^\/app(?:\/|$)/.test(path) ? "/app.html" : "/index.html";
