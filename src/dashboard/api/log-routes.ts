import { z } from "zod";
import { decode } from "../../http/server/decode.ts";
import { type DashboardRoute, reads } from "./dashboard-api.ts";

const Level = z.enum(["debug", "info", "warn", "error"]);

const LogLine = z
  .object({
    /** ISO 8601. */
    at: z.string().exactOptional(),
    level: Level,
    event: z.string(),
    message: z.string(),
    fields: z.record(z.string(), z.string()),
  })
  .meta({ title: "LogLine" });

/** Lines of a log, the oldest first. */
export const LogLines = z
  .object({
    data: z.array(LogLine),
    /** The cursor of what comes later. */
    next: z.string(),
  })
  .meta({ title: "LogLines" });

const MOST_LINES = 500;

const LogQuery = z.object({
  /** What servers tell, or the failures of all processes that reach no caller. */
  log: z.enum(["servers", "failures"]).default("servers"),
  /** Lighter lines are left out. */
  level: Level.default("info"),
  q: z.string().max(500).default(""),
  after: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(MOST_LINES).default(200),
});

/** A line of a log as pages get it. */
export type LogLine = z.output<typeof LogLine>;

/** The logs of a home. */
export interface LogPort {
  /** The newest lines, or those after a cursor. */
  read(wish: {
    readonly log: "servers" | "failures";
    readonly level: LogLine["level"];
    readonly words: string;
    readonly limit: number;
    readonly after?: string;
  }): Promise<z.output<typeof LogLines>>;
}

/** Declares the route of the logs. */
export const logPageRoutes = (logs: LogPort): readonly DashboardRoute[] => [
  reads(
    "GET /dashboard/api/logs",
    (c) => {
      const { q: words, after, ...wish } = decode(LogQuery, c.req.query());
      return logs.read({ ...wish, words, ...(after === undefined ? {} : { after }) });
    },
    {
      id: "readLogs",
      summary: "The newest lines of a log, or with `after` those that came since",
      answer: LogLines,
      query: Object.keys(LogQuery.shape),
    },
  ),
];
