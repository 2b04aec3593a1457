import type { Records, Services } from "../../core/index.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { CookieSessions } from "./cookie-sessions.ts";
import { OperatorAccounts } from "./operator-account.ts";
import { OPERATOR } from "./sign-in.ts";

/** Takes the operator's account away and signs everybody out. @returns whether there was an account */
export async function resetOperator(
  records: Records,
  services: Pick<Services, "clock" | "hex">,
): Promise<boolean> {
  const removed = await new OperatorAccounts(records).remove();
  await new CookieSessions(records, services.clock).endAll();
  await new AuditLog(records, services).note({
    who: OPERATOR,
    from: "this machine",
    action: "account.reset",
  });
  return removed;
}
