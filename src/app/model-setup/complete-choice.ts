import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import {
  type ConfiguredModels,
  configuredModels,
  detectEndpoint,
  type DetectedEndpoint,
  type EndpointAnswer,
  IdentityService,
  type ListedModel,
  contextWarning,
  parseModelsConfig,
  PROVIDER_KINDS,
  recommendedFirst,
  tryEndpoint,
} from "../../providers/models/index.ts";
import { type Check, checkModels, type SetupEnvironment } from "./provider-checks.ts";
import type { AppSettings } from "../config/settings.ts";
import {
  type CompleteChoice,
  keyVariable,
  modelBlock,
  type ModelWishes,
  type PlacedWishes,
  providerOf,
} from "./choices.ts";

/** Asks an address what it speaks; `undefined` when it does not say. */
export async function detect(
  wanted: PlacedWishes & { readonly baseUrl: string },
  environment: SetupEnvironment,
): Promise<DetectedEndpoint | undefined> {
  const credential = await credentialFor(wanted, environment);
  const { signal } = new AbortController();
  const { env } = environment;
  return await detectEndpoint({ address: wanted.baseUrl, credential, env, clock: systemClock, signal });
}

/** Finds out what is left open: what an address speaks, and with how much context it serves a model. */
export async function completeChoice(
  wanted: ModelWishes,
  environment: SetupEnvironment,
): Promise<CompleteChoice> {
  const provider = wanted.provider ?? providerOf(wanted.baseUrl ?? "");
  const model = wanted.model ?? "demo";
  const { baseUrl } = wanted;
  if (baseUrl === undefined || provider === "demo") return { ...wanted, provider, model };
  const found = await detect({ ...wanted, provider, baseUrl }, environment);
  const apiMode = wanted.apiMode ?? found?.apiMode;
  const contextLength = wanted.contextLength ?? found?.models.find(({ id }) => id === model)?.contextLength;
  return {
    ...wanted,
    provider,
    model,
    ...defined({ baseUrl: found?.baseUrl, apiMode, contextLength }),
  };
}

/**
 * Tries address and key by asking for the models. `undefined`: that says nothing, as with a cloud service, which lists
 * what could be deployed, or without a key.
 */
export async function tryChoice(
  wanted: PlacedWishes,
  environment: SetupEnvironment,
): Promise<EndpointAnswer | undefined> {
  const { provider, keyless } = wanted;
  if (keyless || PROVIDER_KINDS[provider].cloud === true) return undefined;
  const credential = await credentialFor(wanted, environment);
  const { signal } = new AbortController();
  const { env } = environment;
  return await tryEndpoint({
    kind: provider,
    credential,
    env,
    clock: systemClock,
    signal,
    ...defined({ address: wanted.baseUrl }),
  });
}

/** Lists the models at a provider's own address. The list is empty when the provider does not answer, as without a key. */
export async function vendorModels(
  wanted: PlacedWishes,
  environment: SetupEnvironment,
): Promise<readonly ListedModel[]> {
  try {
    const block = { ...modelBlock({ ...wanted, model: "" }), default: undefined };
    await using models = modelsFor(wanted, block, environment);
    const listed = await models.list(new AbortController().signal);
    const own = listed
      .filter(({ provider }) => provider === wanted.provider)
      .map(({ model: id, contextLength }) => defined({ id, contextLength }));
    return recommendedFirst(wanted.provider, own);
  } catch {
    // The check of the choice meets the same failure again and reports it.
    return [];
  }
}

/** The models that a `model` block would make, with the key that goes along with it. */
function modelsFor(
  wanted: PlacedWishes,
  block: Readonly<Record<string, unknown>>,
  { env, platform }: SetupEnvironment,
): ConfiguredModels {
  const { name } = keyVariable(wanted);
  const withKey = name === undefined || wanted.key === undefined ? env : { ...env, [name]: wanted.key };
  const config = parseModelsConfig(defined(block));
  return configuredModels(config, { env: withKey, clock: systemClock, platform });
}

type Credential = Parameters<typeof detectEndpoint>[0]["credential"];

async function credentialFor(wanted: PlacedWishes, { env, platform }: SetupEnvironment): Promise<Credential> {
  if (!wanted.keyless) {
    const value = keyValue(wanted, env);
    return value === undefined ? undefined : { kind: "key", value };
  }
  const service = new IdentityService({ env, platform }, systemClock);
  try {
    return await service.credentials(wanted.scope)(AbortSignal.timeout(10_000));
  } catch {
    // The look at the chain says why; addresses may tell what they are without a token.
    return undefined;
  }
}

/** The key of these choices: the given one, or what its variable holds already. */
export function keyValue(wanted: PlacedWishes, env: AppSettings["env"]): string | undefined {
  const { name } = keyVariable(wanted);
  const held = name === undefined ? undefined : env[name]?.trim();
  return wanted.key ?? (held === "" ? undefined : held);
}

/** Checks a choice as `agent doctor` checks what is configured. */
export const checkChoice = (
  choices: CompleteChoice,
  environment: SetupEnvironment,
): AsyncGenerator<Check, void> =>
  checkModels(environment, () => modelsFor(choices, modelBlock(choices), environment));

/** The warning about a local model with little context, when there is one. */
export function contextNote({ provider, model, contextLength }: CompleteChoice): string | undefined {
  const { selfHosted } = PROVIDER_KINDS[provider];
  if (selfHosted !== true || contextLength === undefined) return undefined;
  return contextWarning(model, contextLength);
}
