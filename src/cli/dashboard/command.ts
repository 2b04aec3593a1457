import { argument, command, commandGroup, flag, flagOff, JSON_FLAG, option, positive } from "../command.ts";
import { LOG_OPTIONS } from "../log-options.ts";

/** `agent dashboard`: the way to the pages. */
export const DASHBOARD_COMMAND = commandGroup("dashboard", "open the operator dashboard", [
  command(
    "open",
    "print an address that signs you in once, and open it; serves the dashboard when none runs",
    {
      takes: { ...LOG_OPTIONS, "print-only": flag("open no browser") },
      load: async () => (await import("./dashboard.ts")).dashboard,
    },
  ),
  command("audit", "print who did what at the dashboard, the newest first", {
    takes: {
      limit: option("<count>", "at most so many", { read: positive, otherwise: 50 }),
      json: flagOff("all of it, an entry a line of JSON"),
    },
    load: async () => (await import("./operators.ts")).printAudit,
  }),
  command("who", "list who is signed in at the dashboard", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./operators.ts")).listSignIns,
  }),
  command("signout", "sign somebody out of the dashboard", {
    takes: { id: argument("<id>", "of `agent dashboard who`") },
    load: async () => (await import("./operators.ts")).signOut,
  }),
  command("reset", "take the operator's password and authenticator away, and sign everybody out", {
    load: async () => (await import("./reset.ts")).resetDashboard,
  }),
]);
