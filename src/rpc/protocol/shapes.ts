import { z } from "zod";

/** Names of shapes that several methods and events share; the reference shows them once. */
export const SHAPES = z.registry<{ readonly id: string }>();

/** Names a shape. */
export function named<T extends z.ZodType>(id: string, shape: T): T {
  SHAPES.add(shape, { id });
  return shape;
}

/** A step of the list that the agent works through. */
export const TodoWire = named(
  "Todo",
  z.object({
    id: z.string(),
    content: z.string(),
    status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
  }),
);

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

/** Tokens of a session or a turn. */
export type UsageWire = z.output<typeof UsageWire>;
