import { z } from "zod";
import { countOf } from "../../http/server/decode.ts";
import { type DashboardRoute, reads } from "./dashboard-api.ts";

const sums = {
  sessions: z.number(),
  turns: z.number(),
  model_calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
  cache_read_tokens: z.number(),
  cost_usd: z.number().describe("Of the calls whose price is known"),
  unpriced_calls: z.number(),
};

const Spread = z
  .object({ count: z.number(), median: z.number(), p95: z.number() })
  .describe("Milliseconds; null when there was none")
  .nullable();

const part = {
  ...sums,
  questions: z.number().describe("Questions that people were asked"),
  answer_ms: Spread,
  question_wait_ms: Spread,
};

/** The usage of some days. */
export const DailyUsageWire = z
  .object({
    days: z.number(),
    since: z.number().describe("Unix seconds"),
    total: z.object(part),
    by_day: z.array(
      z.object({ day: z.string().describe("2026-11-22, as the host's calendar has it"), ...part }),
    ),
    by_model: z.array(z.object({ model: z.string(), ...sums })),
    by_surface: z.array(z.object({ surface: z.string(), ...sums })),
    by_person: z.array(
      z.object({
        person: z.string(),
        user: z.string().exactOptional().describe("The name of the user on the roster who it is"),
        ...sums,
      }),
    ),
    by_persona: z.array(z.object({ persona: z.string().describe("Empty where none was chosen"), ...sums })),
    by_folder: z.array(z.object({ folder: z.string(), ...sums })),
    damaged_sessions: z.number(),
    complete: z.boolean().describe("False while older turns are still being read"),
  })
  .meta({ title: "Usage" });

/** The usage of some days. */
export type DailyUsageWire = z.output<typeof DailyUsageWire>;

/** A function that adds up the last days, today among them. */
export type ReadUsage = (days: number) => Promise<DailyUsageWire>;

const DAYS = { otherwise: 30, most: 366 } as const;

/** Declares what was used. */
export const usageRoutes = (usage: ReadUsage): readonly DashboardRoute[] => [
  reads("GET /dashboard/api/usage", (c) => usage(Math.max(1, countOf(c.req.query("days"), DAYS))), {
    id: "dashboardUsage",
    summary:
      "Tokens, cost, turns, answer times and questions of the last `days`, 30 by default, by day, model, surface, person, persona and folder",
    answer: DailyUsageWire,
    query: ["days"],
  }),
];
