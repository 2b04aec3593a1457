import { z } from "zod";
import { method } from "./method.ts";

const SkillWire = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  /** `home` or `workspace`. */
  source: z.string(),
  enabled: z.boolean(),
});

const SkillInfo = SkillWire.extend({
  /** Absolute. */
  folder: z.string(),
  /** Its text. */
  body: z.string(),
  /** Its other files, relative to its folder. */
  files: z.array(z.string()),
});

/** A skill, as lists show it. */
export type SkillWire = z.output<typeof SkillWire>;
/** A skill with its text. */
export type SkillInfo = z.output<typeof SkillInfo>;

const ACTIONS = ["list", "search", "inspect", "enable", "disable"] as const;

/** Instructions for kinds of work. */
export const SKILL_METHODS = {
  "skills.manage": method({
    summary:
      "Lists the skills by category, searches them by name and description, shows one (`query` names it), or switches one on or off for all new prompts.",
    params: z.object({
      action: z.enum(ACTIONS, {
        error: `There are ${ACTIONS.join(", ")}; skills are installed by putting their folder into the home's skills`,
      }),
      query: z.string().default(""),
      cwd: z.string().optional(),
    }),
    result: z.object({
      skills: z.record(z.string(), z.array(z.string())).optional(),
      results: z.array(SkillWire).optional(),
      info: SkillInfo.optional(),
      name: z.string().optional(),
      enabled: z.boolean().optional(),
    }),
    codes: { not_found: 4018, config_invalid: 5024, internal: 5024 },
    wrong: { action: 4017 },
  }),
  "skills.reload": method({
    summary:
      "Looks at the skills' files anew, which happens by itself too, and says what is wrong with them.",
    params: z.object({ cwd: z.string().optional() }),
    result: z.object({
      output: z.string(),
      result: z.object({ count: z.number(), warnings: z.array(z.string()) }),
    }),
    codes: { internal: 5025 },
  }),
} as const;
