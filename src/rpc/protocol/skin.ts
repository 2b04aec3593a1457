import { z } from "zod";
import { named } from "./shapes.ts";

/** The look of a client; every part may be missing. */
export const Skin = named(
  "Skin",
  z.object({
    name: z.string(),
    colors: z.record(z.string(), z.string()),
    branding: z.record(z.string(), z.string()),
    banner_logo: z.string(),
    banner_hero: z.string(),
    tool_prefix: z.string(),
    help_header: z.string(),
  }),
);

/** The look of a client. */
export type Skin = z.output<typeof Skin>;
