import type { z } from "zod";
import { HostError } from "../../../shared/errors/host-error.ts";
import { nearestName } from "../../../shared/text/nearest-name.ts";
import { API_MODES, KINDS } from "../dialects/registry.ts";
import { KEY_ENV_ALIASES, SMALLEST_CONTEXT } from "./config-schema.ts";

const PRICE = "US dollars per million tokens, 0 or more";

/** The value that each key takes: the parser's own words know neither units nor examples. */
const HINTS: Readonly<Record<string, string>> = {
  provider: `one of ${KINDS.join(", ")}, or a name from model.providers`,
  kind: `one of ${KINDS.join(", ")}`,
  base_url: "the endpoint's address, e.g. http://localhost:8080/v1",
  api_mode: `one of ${API_MODES.join(", ")}`,
  auth_mode: "identity_service, or leave it out to use a key",
  default: "the name of a model or deployment, e.g. gpt-4o",
  context_length: `a whole number of tokens, at least ${SMALLEST_CONTEXT}, e.g. 128000`,
  max_output_tokens: "a whole number of tokens above 0, e.g. 8192",
  vision: "true or false",
  reasoning: "true or false",
  stream: "true or false",
  label: "a short text",
  fast_tier: "what its provider calls the tier that answers sooner, e.g. priority",
  identity: "a block with the key scope",
  scope: "a token scope that ends in /.default",
  key_env: "the name of an environment variable, e.g. OPENAI_API_KEY; never the key itself",
  api_key: "a key as text, or better: put it into .env and name its variable in key_env",
  cloud_domains: "a list of domains, e.g. [.example-cloud.com]",
  prices: "a block per model with input and output, in US dollars per million tokens",
  input: PRICE,
  output: PRICE,
  cache_read: PRICE,
  cache_write: PRICE,
  models: "a list of model names, or a block per model",
  fallback: "a list of models as /model takes them, e.g. [openai:gpt-4o, local:llama3]",
  providers: "a block per provider, its name in letters, digits, dots, dashes or underscores",
};

/** The error for a block that the schema refused: about its first problem, with the number of others. No value is repeated: it may be a key. */
export function configError(issues: readonly z.core.$ZodIssue[], place?: string): HostError {
  const [first] = issues;
  const { subject, problem, remedy } =
    first === undefined
      ? { subject: "model", problem: "cannot be used", remedy: "Write a block of settings." }
      : describe(first);
  const where = place === undefined ? "" : ` in ${place}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more in the model block)` : "";
  return new HostError("config_invalid", `${subject}${where} ${problem}. ${remedy}${more}`, {
    details: { subject },
  });
}

function describe(issue: z.core.$ZodIssue): { subject: string; problem: string; remedy: string } {
  const subject = ["model", ...issue.path].join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = nearestName(key, Object.keys(HINTS));
    const remedy = known === undefined ? "Remove it." : `Did you mean ${known}?`;
    return { subject: `${subject}.${key}`, problem: "is no setting", remedy };
  }
  const key = issue.path.map(hintKey).findLast((part) => part !== undefined);
  return {
    subject,
    problem: PROBLEMS[issue.code] ?? "cannot be used",
    remedy: `Write ${(key && HINTS[key]) ?? "a block of settings"}.`,
  };
}

const PROBLEMS: { readonly [Code in z.core.$ZodIssue["code"]]?: string } = {
  invalid_type: "is missing or of the wrong kind",
  invalid_union: "is of the wrong kind",
  invalid_value: "is none of the known values",
  invalid_format: "is not well-formed",
  invalid_key: "is no usable name",
  too_small: "is too small or empty",
};

function hintKey(part: PropertyKey): string | undefined {
  const name = KEY_ENV_ALIASES.some((alias) => alias === part) ? "key_env" : String(part);
  return Object.hasOwn(HINTS, name) ? name : undefined;
}
