import { eventId, type EventSource } from "../../automation/outgoing/index.ts";
import type { AuditLog } from "../../dashboard/index.ts";

const AT_ONCE = 100;

const SIGN_INS: ReadonlySet<string> = new Set(["sign-in", "app.sign-in"]);

/** Makes the source of who signed in at the dashboard and in the members' app: the audit log. */
export const signInEvents = (audit: AuditLog): EventSource => ({
  name: "audit",
  async read(after) {
    const { entries, next } = await audit.follow(after, AT_ONCE);
    const events = entries
      .filter(({ action }) => SIGN_INS.has(action))
      .map(({ id, at, who: user }) => ({ type: "user.signed_in" as const, id: eventId(id), at, user }));
    return { events, next };
  },
});
