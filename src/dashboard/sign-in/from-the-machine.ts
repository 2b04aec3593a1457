import type { Records, Services } from "../../core/index.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { AccountDrafts } from "./account-drafts.ts";
import { type CookieSession, CookieSessions } from "./cookie-sessions.ts";
import { OperatorAccounts } from "./operator-account.ts";
import { OPERATOR } from "./sign-in.ts";

/** Takes the operator's account away, with those that are half made, and signs everybody out. @returns whether there was an account */
export async function resetOperator(
  records: Records,
  services: Pick<Services, "clock" | "hex">,
): Promise<boolean> {
  const removed = await new OperatorAccounts(records).remove();
  await new CookieSessions(records, services.clock).endAll();
  await new AccountDrafts(records, services.clock).endAll();
  await new AuditLog(records, services).note({ ...HERE, action: "account.reset" });
  return removed;
}

/** Signs one out. @throws HostError `not_found` */
export async function signOutFromHere(
  records: Records,
  services: Pick<Services, "clock" | "hex">,
  id: string,
): Promise<CookieSession> {
  const sessions = new CookieSessions(records, services.clock);
  const found = (await sessions.list()).find((each) => each.id === id);
  if (found === undefined || !(await sessions.end(id)))
    throw new HostError("not_found", `Nobody is signed in as ${id}: agent dashboard who lists who is.`);
  await new AuditLog(records, services).note({ ...HERE, action: "sign-in.ended", subject: id });
  return found;
}

/** Whoever may use the home from its machine is the operator. */
const HERE = { who: OPERATOR, from: "this machine" };
