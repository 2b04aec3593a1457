import type { Model } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { systemClock } from "../../shared/async/clock.ts";
import {
  checkIdentity,
  configuredModels,
  type ConfiguredModels,
  DEFAULT_SCOPE,
  findLocalServers,
  isResponsesOnly,
  type ModelAbout,
  PROVIDER_KINDS,
} from "../../providers/models/index.ts";
import type { AppSettings } from "../config/settings.ts";
import { askOnce } from "./ask-once.ts";

/** A field of a choice of a model. */
export type ChoiceField = "address" | "key" | "model";

/** The result of one check. */
export interface Check {
  /** The field of the choice that is probably wrong. */
  readonly field?: ChoiceField;
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** The environment in which choices are completed and checked. */
export interface SetupEnvironment {
  readonly env: AppSettings["env"];
  readonly platform: string;
}

const PROBE_MS = 10_000;

/** Looks at the configured provider: at its credential chain in keyless mode, then at an answer of its model. */
export async function* providerChecks(
  settings: Pick<AppSettings, "models" | "env">,
  platform: string,
): AsyncGenerator<Check, void> {
  const environment = { env: settings.env, platform };
  yield* checkModels(environment, () =>
    configuredModels(settings.models, { ...environment, clock: systemClock }),
  );
}

/** Looks at the credential chain in keyless mode, and at a real answer of the default model. */
export async function* checkModels(
  environment: SetupEnvironment,
  open: () => ConfiguredModels,
): AsyncGenerator<Check, void> {
  try {
    await using models = open();
    const about = models.about({});
    if (about.kind === "demo") return yield await demoCheck();
    if (about.keyless) {
      const identity = await identityCheck(about, environment);
      yield identity;
      if (!identity.ok) return;
    }
    yield await modelCheck(models, about);
  } catch (thrown) {
    yield { name: "provider", ok: false, text: toHostError(thrown).message };
  }
}

/** Looks at the credential chain. */
async function identityCheck({ scope }: ModelAbout, environment: SetupEnvironment): Promise<Check> {
  const { signal } = new AbortController();
  const report = await checkIdentity({ ...environment, scope, clock: systemClock, signal });
  const seen = report.variables.length === 0 ? "" : ` (set: ${report.variables.join(", ")})`;
  const text = report.ok
    ? `a token for ${report.scope} by ${report.source}${seen}`
    : `${report.error}${seen}`;
  return { name: "identity", ok: report.ok, text };
}

/** Has the default model say a word. */
async function modelCheck(models: ConfiguredModels, about: ModelAbout): Promise<Check> {
  const name = "provider";
  try {
    const took = await timeOneAnswer(models.resolve({}));
    return { name, ok: true, text: `${about.provider}:${about.model} answered in ${took} ms` };
  } catch (thrown) {
    const error = toHostError(thrown);
    return { name, ok: false, text: explained(error, about), ...defined({ field: fieldOf(error, about) }) };
  }
}

/**
 * Has a model say a word; gives the milliseconds that took.
 *
 * @throws HostError `provider_*`, or `timeout` after 10 s
 */
async function timeOneAnswer(model: Model): Promise<number> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const question = { system: "Answer with one word.", prompt: "Say ok.", maxOutputTokens: 16, signal };
  const { ms } = await askOnce(model, question);
  if (!signal.aborted) return ms;
  throw new HostError("timeout", `${model.provider}:${model.name} did not answer in ${PROBE_MS / 1000} s.`);
}

/** The field that an error is most probably about. */
function fieldOf({ code }: HostError, { keyless }: ModelAbout): ChoiceField | undefined {
  switch (code) {
    case "provider_auth":
      return keyless ? undefined : "key";
    case "provider_network":
    case "provider_stalled":
    case "timeout":
      return "address";
    case "provider_not_found":
    case "provider_bad_request":
    case "model_unknown":
      return "model";
    default:
      return undefined;
  }
}

async function demoCheck(): Promise<Check> {
  const found = await findLocalServers({ clock: systemClock, signal: AbortSignal.timeout(PROBE_MS) });
  const [server] = found;
  const hint =
    server === undefined
      ? "Run `agent setup` to use a real one."
      : `A model server answers at ${server.baseUrl}: run \`agent setup\` to use it.`;
  return { name: "provider", ok: true, text: `none configured: the built-in demo model answers. ${hint}` };
}

/** An error with what usually is behind it. */
function explained(error: HostError, about: ModelAbout): string {
  if (error.code !== "provider_auth" || error.details.status === undefined) return error.message;
  const reasons = about.keyless ? keylessReasons(about) : keyReasons(about);
  return [error.message, ...reasons].join(" ");
}

function keylessReasons({ scope }: ModelAbout): readonly string[] {
  const role = "The token was accepted as one but gives no right: wait 5 minutes after a role was given.";
  if (scope === undefined || scope === DEFAULT_SCOPE) return [role];
  return [
    role,
    `model.identity.scope is ${scope} in place of the default ${DEFAULT_SCOPE}: newer resources refuse older scopes, so remove it first.`,
  ];
}

function keyReasons({ kind, model, apiMode }: ModelAbout): readonly string[] {
  if (PROVIDER_KINDS[kind].cloud !== true) return [];
  const own = "A key belongs to one resource: base_url must be that one's address.";
  if (apiMode !== "responses_api" || !isResponsesOnly(model)) return [own];
  return [
    own,
    `Some guides say to set api_mode to chat_completions for this; ${model} answers in responses_api only and is always asked so.`,
  ];
}
