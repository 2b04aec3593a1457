import { z } from "zod";
import { named } from "./registry.ts";

/** Tokens of a session or a turn. The three `context_*` fields come together, once a request's real size is known. */
export const UsageWire = named(
  "Usage",
  z.object({
    model: z.string(),
    input: z.number(),
    output: z.number(),
    reasoning: z.number(),
    prompt: z.number(),
    completion: z.number(),
    total: z.number(),
    calls: z.number(),
    cache_read: z.number(),
    cache_write: z.number(),
    cost_usd: z.number().optional(),
    compressions: z.number().optional(),
    context_used: z.number().optional(),
    context_max: z.number().optional(),
    context_percent: z.number().optional(),
    active_subagents: z.number().optional(),
  }),
);

export type UsageWire = z.output<typeof UsageWire>;
