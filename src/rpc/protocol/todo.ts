import { z } from "zod";
import { named } from "./registry.ts";

/** A step of the list that the agent works through. */
export const TodoWire = named(
  "Todo",
  z.object({
    id: z.string(),
    content: z.string(),
    status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
  }),
);
