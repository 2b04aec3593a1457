import { command, JSON_FLAG, option, positive } from "../command.ts";

/** `agent stats`. */
export const STATS_COMMAND = command(
  "stats",
  "tokens, cost, turns and sessions by day, model, person, persona and folder",
  {
    takes: {
      days: option("<count>", "of so many days, today among them", { read: positive, otherwise: 30 }),
      json: JSON_FLAG,
    },
    help: "Subagents count to the session that they work for. Deleted sessions are gone from it.",
    load: async () => (await import("./stats.ts")).printStats,
  },
);
