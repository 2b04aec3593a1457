import { z } from "zod";
import { API_MODES, KINDS, kindNamed } from "../dialects/registry.ts";

/** The spellings of the setting that names the variable with the key. */
export const KEY_ENV_ALIASES = ["key_env", "api_key_env", "keyEnv", "apiKeyEnv"] as const;

/** Fewer tokens of context than this is a mistyped number. */
export const SMALLEST_CONTEXT = 1000;

const tokens = (least: number): z.ZodInt => z.int().min(least);
const dollars = z.number().min(0);
const text = z.string().trim().min(1);
const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** People use the usual name, the kind may have another one. */
const withAlias = (name: unknown): unknown => (typeof name === "string" ? (kindNamed(name) ?? name) : name);

const PriceWire = z.strictObject({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});

const factsWire = {
  context_length: tokens(SMALLEST_CONTEXT).optional(),
  max_output_tokens: tokens(1).optional(),
  vision: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  stream: z.boolean().optional(),
  fast_tier: text.optional(),
};

const ModelWire = z.strictObject({ ...factsWire, label: text.optional() });

const keyEnvFields = Object.fromEntries(
  KEY_ENV_ALIASES.map((name) => [name, envName.optional()]),
  // The keys are exactly the aliases.
) as Readonly<Record<(typeof KEY_ENV_ALIASES)[number], z.ZodOptional<typeof envName>>>;

const EntryWire = z.strictObject({
  ...factsWire,
  kind: z.preprocess(withAlias, z.enum(KINDS).optional()),
  base_url: text.optional(),
  api_mode: z.enum(API_MODES).optional(),
  auth_mode: z.enum(["api_key", "identity_service"]).optional(),
  default: text.optional(),
  identity: z.strictObject({ scope: z.string().trim().optional() }).optional(),
  ...keyEnvFields,
  api_key: text.optional(),
  cloud_domains: z.array(text).optional(),
  prices: z.record(z.string(), PriceWire).optional(),
  models: z.union([z.array(text), z.record(z.string(), ModelWire.nullable())]).optional(),
});

/** The block of one provider, in the configuration's own spelling. */
export type EntryBlock = z.output<typeof EntryWire>;

/** The `model` block in the configuration's own spelling. Unknown keys are refused: they are mistyped ones. */
export const BlockWire = EntryWire.extend({
  provider: text.optional(),
  fallback: z.array(text).optional(),
  providers: z.record(z.string().regex(/^[A-Za-z0-9][\w.-]*$/), EntryWire).optional(),
});
