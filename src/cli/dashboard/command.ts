import { command, commandGroup, flag } from "../command.ts";
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
  command("reset", "take the operator's password and authenticator away, and sign everybody out", {
    load: async () => (await import("./reset.ts")).resetDashboard,
  }),
]);
