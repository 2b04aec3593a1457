import { z } from "zod";
import type { Budget } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { JobOrigin } from "./job.ts";
import { findInvisible, findThreat } from "../../shared/text/text-threats.ts";

/** The fields of a new job. */
export type JobDraft = ReturnType<typeof decodeJobDraft> & { readonly origin?: JobOrigin };

/** A change of a job; an absent key stays as it is, `null` goes back to the default. */
export type JobPatch = ReturnType<typeof decodeJobPatch>;

const LONGEST_PROMPT = 5000;
const LONGEST_NAME = 200;

const text = (name: string, longest: number) =>
  z.string(`'${name}' must be a string`).max(longest, `'${name}' must be at most ${longest} characters`);
const name = text("name", LONGEST_NAME)
  .trim()
  .refine((value) => value !== "", "'name' must not be blank");
const schedule = text("schedule", 200).trim().min(1, "Schedule is required");
const prompt = text("prompt", LONGEST_PROMPT);
const skill = z
  .string("'skills' must be names")
  .trim()
  .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "'skills' must be names of letters, digits, - and _");
// `meta` describes the input: a preprocessor's input cannot be read from its schema.
const skills = z
  .preprocess(
    (given) => (typeof given === "string" ? (given.trim() === "" ? [] : [given]) : given),
    z.array(skill, "'skills' must be a list of names").max(20, "At most 20 skills"),
  )
  .meta({ type: ["array", "string"], items: { type: "string" } });
const deliver = z
  .preprocess((given) => (Array.isArray(given) ? given.join(",") : given), text("deliver", 500))
  .meta({ type: ["string", "array"], items: { type: "string" } });
const repeat = z.int("Repeat must be a positive integer").min(1, "Repeat must be a positive integer");
const persona = text("persona", 60)
  .trim()
  .meta({ description: "Name of the persona that answers; `none` for none." });
const override = text("provider and model", 200).trim();
const budget = z
  .object(
    {
      tokens: z
        .int("'budget.tokens' must be a whole number")
        .min(0, "'budget.tokens' must not be negative")
        .nullish(),
      cost: z
        .number("'budget.cost' must be US dollars")
        .min(0, "'budget.cost' must not be negative")
        .nullish(),
    },
    "'budget' must be an object with tokens, cost or both",
  )
  .meta({ description: "What one run may use: tokens, US dollars, or both; 0 is no limit." });

const address = z
  .string("'base_url' must be an address")
  .trim()
  .max(2000, "'base_url' must be at most 2000 characters")
  .meta({ description: "The address of a provider of the configuration, in place of its name." });

/** The body that makes a job. */
export const JobDraftBody = z
  .object({
    name: name.nullish(),
    schedule: z.string("Schedule is required").pipe(schedule),
    prompt: prompt.nullish(),
    skills: skills.nullish(),
    skill: skill.nullish(),
    deliver: deliver.nullish(),
    repeat: repeat.nullish(),
    paused: z.boolean("'paused' must be true or false").nullish(),
    paused_reason: text("paused_reason", 500).nullish(),
    provider: override.nullish(),
    model: override.nullish(),
    base_url: address.nullish(),
    workdir: text("workdir", 4096).nullish(),
    enabled_toolsets: z.array(z.string(), "'enabled_toolsets' must be a list of names").nullish(),
    persona: persona.nullish(),
    budget: budget.nullish(),
  })
  .meta({ title: "JobDraft" });

/** Reads the body that makes a job. @throws HostError `invalid_params` */
export function decodeJobDraft(body: unknown) {
  const wire = read(JobDraftBody, body);
  const chosen = wire.skills ?? (wire.skill == null ? [] : [wire.skill]);
  const words = wire.prompt ?? "";
  if (words.trim() === "" && chosen.length === 0) {
    throw new HostError("invalid_params", "There is nothing to run: give a 'prompt', or 'skills'.");
  }
  if (wire.paused_reason != null && wire.paused !== true) {
    throw new HostError("invalid_params", "'paused_reason' needs 'paused': true.");
  }
  scanPrompt(words);
  return {
    schedule: wire.schedule,
    prompt: words,
    skills: chosen,
    ...valued({
      name: wire.name,
      deliver: wire.deliver,
      repeat: wire.repeat,
      paused: wire.paused,
      pausedReason: wire.paused_reason,
      provider: blankless(wire.provider),
      model: blankless(wire.model),
      baseUrl: blankless(wire.base_url),
      workdir: blankless(wire.workdir),
      toolsets: wire.enabled_toolsets,
      persona: blankless(wire.persona),
      budget: budgetOf(wire.budget),
    }),
  };
}

/** The body that changes a job. */
export const JobPatchBody = z
  .object({
    name: name.optional(),
    schedule: schedule.optional(),
    prompt: prompt.optional(),
    skills: skills.optional(),
    skill: skill.optional(),
    deliver: deliver.optional(),
    repeat: repeat.nullable().optional(),
    enabled: z.boolean("'enabled' must be true or false").optional(),
    provider: override.nullable().optional(),
    model: override.nullable().optional(),
    base_url: address.nullable().optional(),
    persona: persona.nullable().optional(),
    budget: budget.nullable().optional(),
  })
  .meta({ title: "JobPatch" });

/**
 * Reads the body that changes a job; keys that cannot be changed are ignored.
 *
 * @throws HostError `invalid_params`, also when no key is left
 */
export function decodeJobPatch(body: unknown) {
  const { skill: single, base_url: baseUrl, ...wire } = read(JobPatchBody, body);
  const patch = defined({
    ...wire,
    baseUrl: baseUrl === "" ? null : baseUrl,
    skills: wire.skills ?? (single === undefined ? undefined : [single]),
    budget: wire.budget === undefined ? undefined : (budgetOf(wire.budget) ?? null),
  });
  if (Object.keys(patch).length === 0) throw new HostError("invalid_params", "No valid fields to update.");
  if (patch.prompt !== undefined) scanPrompt(patch.prompt);
  return patch;
}

/** The body that runs a job now, with a text beside the job's own prompt. */
export const JobRunBody = z.object({ prompt: prompt.nullish() }).meta({ title: "JobRunNow" });

/** Reads the body that runs a job now: a text for this run only, or nothing. @throws HostError `invalid_params` */
export function decodeRunExtra(body: unknown): string | undefined {
  const { prompt: extra } = read(JobRunBody, body ?? {});
  if (extra == null || extra.trim() === "") return undefined;
  scanPrompt(extra);
  return extra;
}

function read<S extends z.ZodType>(shape: S, body: unknown): z.output<S> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const subject = issue?.path.join(".") ?? "";
  const message = subject === "" ? "The body must be a JSON object" : (issue?.message ?? "It is not valid");
  throw new HostError("invalid_params", `${message}.`, { details: { subject } });
}

/** A budget that says something. */
function budgetOf(wire: z.output<typeof budget> | null | undefined): Budget | undefined {
  const given: Budget = valued({ tokens: wire?.tokens, cost: wire?.cost });
  return Object.keys(given).length === 0 ? undefined : given;
}

const blankless = (value: string | null | undefined): string | undefined =>
  value == null || value === "" ? undefined : value;

/** Takes away the keys without a value; `null` is none. */
function valued<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const some = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  // Keys are only taken away.
  return Object.fromEntries(some) as { [K in keyof T]?: NonNullable<T[K]> };
}

/**
 * Looks through a scheduled prompt: nobody watches when it runs.
 *
 * @throws HostError `invalid_params` for a prompt that matches a pattern of threats, naming the pattern
 */
export function scanPrompt(prompt: string): void {
  const invisible = findInvisible(prompt);
  if (invisible !== undefined) {
    const { code, index } = invisible;
    throw blocked(`prompt contains invisible unicode ${code} at character ${index + 1}. Remove it.`);
  }
  const id = findThreat(prompt);
  if (id !== undefined) {
    throw blocked(
      `prompt matches threat pattern '${id}'. A job runs unwatched: say it in other words, or leave it out.`,
    );
  }
}

const blocked = (why: string): HostError =>
  new HostError("invalid_params", `Blocked: ${why}`, { details: { subject: "prompt" } });
