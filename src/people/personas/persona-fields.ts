import { z } from "zod";
import { NO_PERSONA } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

const LONGEST_INSTRUCTIONS = 32_000;

const names = z.array(z.string().trim().min(1)).max(100);

/** The fields of a persona, as people write them. */
export const PersonaFields = z.strictObject({
  instructions: z
    .string()
    .max(LONGEST_INSTRUCTIONS, {
      error: ({ input }) =>
        `it has ${typeof input === "string" ? input.length : 0} characters, and ${LONGEST_INSTRUCTIONS} are the most. Put what is long into a skill or the knowledge base`,
    })
    .default(""),
  /** `provider:model`, or a model's name. */
  model: z.string().trim().min(1).exactOptional(),
  toolsets: names.exactOptional(),
  skills: names.exactOptional(),
  collections: names.exactOptional(),
  budget: z
    .strictObject({ tokens: z.int().min(0).exactOptional(), cost: z.number().min(0).exactOptional() })
    .exactOptional(),
});

/** The fields of a persona. */
export type PersonaFields = z.output<typeof PersonaFields>;

/** The name of a persona. */
export const PersonaName = z
  .string()
  .refine(
    (name) => /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u.test(name),
    "A name has letters, digits, spaces, dots, - and _, at most 60",
  )
  .refine((name) => name.trim() === name, "A name ends without a space")
  .refine((name) => name.toLowerCase() !== NO_PERSONA, `${NO_PERSONA} stands for no persona`)
  .refine((name) => name.toLowerCase() !== "default", "default stands for the owner's choice");

/** One version of a persona: without fields it was removed. Versions count from 1. */
export const PersonaVersion = z.object({
  version: z.int(),
  /** Unix milliseconds. */
  at: z.number(),
  /** Who made it. */
  by: z.string(),
  fields: PersonaFields.optional(),
});

/** One version of a persona. */
export type PersonaVersion = z.output<typeof PersonaVersion>;

/** Reads what somebody wrote as a persona. @throws HostError `invalid_params`, naming the key */
export function readPersona(name: string, given: unknown): PersonaFields {
  const read = PersonaFields.safeParse(given);
  const [issue] = [...(PersonaName.safeParse(name).error?.issues ?? []), ...(read.error?.issues ?? [])];
  if (read.success && issue === undefined)
    return { ...read.data, instructions: read.data.instructions.replaceAll(/\r\n?/g, "\n") };
  const subject = issue?.path.join(".") ?? "";
  throw new HostError(
    "invalid_params",
    `The persona ${JSON.stringify(name.slice(0, 80))} was not saved: ${subject === "" ? "" : `${subject}: `}${issue?.message ?? ""}. Correct it and save again.`,
    { details: { subject: subject === "" ? "name" : subject } },
  );
}
