import type { Host } from "../../core/index.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { type ApiRoute, type Operation, route } from "../../http/server/api-route.ts";
import type { AuditDraft, AuditLog } from "../audit/audit-log.ts";
import { sessionAt } from "../server/page-access.ts";
import { arrivalAt } from "../server/visitor.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import type { CookieSessions } from "../sign-in/cookie-sessions.ts";

export { bodyOf, Done, PAGE_BODY } from "../../http/server/checked-body.ts";

/** The parts of the dashboard that its routes work with. */
export interface DashboardApi {
  readonly host: Pick<Host, "services" | "session">;
  readonly signIn: SignIn;
  readonly sessions: CookieSessions;
  readonly audit: AuditLog;
}

/** A route of the dashboard. */
export type DashboardRoute = ApiRoute<DashboardApi>;

/** Notes what the signed-in operator does with a request. */
export function noteAt(
  c: HttpContext,
  { audit }: Pick<DashboardApi, "audit">,
  draft: Omit<AuditDraft, "who" | "from">,
): Promise<void> {
  return audit.note({ ...actorAt(c), ...draft });
}

/** Who asks, and from where. */
export const actorAt = (c: HttpContext): Pick<AuditDraft, "who" | "from"> => ({
  who: sessionAt(c)?.who ?? "somebody",
  from: arrivalAt(c).address,
});

/** Declares a route that reads. */
export const reads = (
  address: `GET /dashboard/api/${string}`,
  handle: (c: HttpContext, api: DashboardApi, id: string) => Promise<unknown>,
  operation: Operation,
): DashboardRoute =>
  route(address, async (c, api: DashboardApi, id) => c.json(await handle(c, api, id)), operation);
