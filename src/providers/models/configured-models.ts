import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import type { Model, ModelListing, ModelRef, Models, Usage } from "../../core/index.ts";
import { LearnedFacts } from "./catalog/learned-facts.ts";
import { usualContext, usuallySees } from "./catalog/families.ts";
import type { ModelFacts } from "./catalog/model-facts.ts";
import { costOf, listPrice } from "./catalog/prices.ts";
import {
  credentialsOf,
  type CredentialServices,
  findKey,
  isKeyless,
  keyRemedy,
} from "./config/credentials.ts";
import { OR_SETUP } from "./config/advice.ts";
import type { EnvironmentVariables } from "./config/environment.ts";
import { listModels } from "./config/list-models.ts";
import { findModel, parseRef } from "./config/model-ref.ts";
import type { ModelsConfig } from "./config/models-config.ts";
import { parseEndpoint } from "./config/parse-endpoint.ts";
import { type Provider, type Providers, providersOf } from "./config/providers.ts";
import { timeoutsFor } from "./config/timeouts.ts";
import { chooseDialect } from "./dialects/choose-dialect.ts";
import { demoModel } from "./dialects/demo/demo-model.ts";
import { type ApiMode, dialectOf, type ProviderKind } from "./dialects/registry.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { openHttpTransport } from "./endpoint/http-transport.ts";
import { IdentityService } from "./identity/identity-service.ts";
import { RateLimiters } from "./rate-limit/rate-limiters.ts";
import { dialectModel } from "./stream/dialect-model.ts";
import type { ModelServices } from "./stream/model-services.ts";

/**
 * The needs of models beside their configuration. Limiters and learned facts may be those of an earlier configuration,
 * and are new by default; ids are random by default.
 */
export interface ModelsOptions extends Partial<
  Pick<ModelServices, "newId" | "rateLimiters" | "learned" | "keepContext" | "images">
> {
  /** Keys, addresses, timeouts and proxies are read from here. */
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  /** Milliseconds between two words of the demo model; 0 by default. */
  readonly demoDelayMs?: number;
  /** As Node names it; decides whether there can be a desktop broker. */
  readonly platform?: string;
}

/** The way to a model, as it is explained to people. */
export interface ModelAbout {
  readonly provider: string;
  readonly kind: ProviderKind;
  readonly model: string;
  /** Host and port; absent for the demo. */
  readonly host?: string;
  readonly apiMode?: ApiMode;
  /** The configured dialect; the family's own dialect goes before it. */
  readonly configuredMode?: ApiMode;
  readonly keyless: boolean;
  /** The configured scope, in place of the default one. */
  readonly scope?: string;
  readonly contextLength: number;
}

/** The models of a configuration. Disposing closes the connections that are kept open. */
export interface ConfiguredModels extends Models, AsyncDisposable {
  /** @throws as `resolve` does */
  about(ref: ModelRef): ModelAbout;
}

/** Short enough for the pickiest endpoint, which takes exactly nine letters and digits. */
const randomId = (): string => randomHex(5).slice(0, 9);

/**
 * Makes the models of a configuration. Nothing is sent and no client is loaded before the first call.
 *
 * @throws HostError `config_invalid` for addresses, providers and timeouts that cannot be used
 */
export function configuredModels(config: ModelsConfig, options: ModelsOptions): ConfiguredModels {
  const { env, clock, newId = randomId, demoDelayMs = 0 } = options;
  const providers = providersOf(config, env);
  const services: HostedServices = {
    env,
    clock,
    newId,
    images: options.images,
    learned: options.learned ?? new LearnedFacts(),
    keepContext: options.keepContext,
    transport: openHttpTransport(env),
    rateLimiters: options.rateLimiters ?? new RateLimiters(clock),
    identity: new IdentityService({ env, platform: options.platform ?? "" }, clock),
    timeoutsOf: perLocality((local) => timeoutsFor(env, { local })),
  };
  const { transport } = services;
  const made = new Map<string, Model>();

  const resolve = (ref: ModelRef): Model => {
    const { provider, name } = findModel(ref, providers);
    const key = JSON.stringify([provider.name, name]);
    // The same object each time: it knows the messages that it has encoded.
    const known = made.get(key);
    if (known !== undefined) return known;
    const model =
      provider.kind === "demo"
        ? demoModel({ clock, newId, delayMs: demoDelayMs })
        : hostedModel(provider, name, services);
    made.set(key, model);
    return model;
  };

  const standIns = (config.fallback ?? []).map((text) => standIn(text, resolve, providers));
  return {
    resolve,
    ready(ref) {
      const provider = providers.byName.get(resolve(ref).provider);
      // A token is made only when it is needed.
      if (provider !== undefined && provider.kind !== "demo" && !isKeyless(provider))
        findKey(provider.key, env);
    },
    about(ref) {
      const { provider: name, name: model, contextLength } = resolve(ref);
      // The demo answers under its own name, whatever its provider is called: there is one of that name.
      const provider = providers.byName.get(name) ?? providers.main;
      return { provider: name, model, contextLength, ...aboutOf(provider, model) };
    },
    providerAt: (baseUrl) => providerAt(providers, baseUrl),
    fallback: (failed) => standIns.find((model) => !failed.includes(model)),
    parse: (text) => parseRef(text.trim(), providers),
    list: (signal): Promise<readonly ModelListing[]> => listModels({ ...services, providers, signal }),
    price: (model, usage) => priceOf(providers.byName.get(model.provider), model, usage),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function providerAt({ byName }: Providers, address: string): string | undefined {
  // A text that is no address belongs to no provider.
  if (!/^https?:\/\/[^@]+$/i.test(address) || !URL.canParse(address)) return undefined;
  const { baseUrl } = parseEndpoint(address, "base_url");
  return byName.values().find(({ endpoint }) => endpoint?.baseUrl === baseUrl)?.name;
}

function aboutOf(
  provider: Provider,
  model: string,
): Omit<ModelAbout, "provider" | "model" | "contextLength"> {
  const { kind, config, endpoint } = provider;
  return {
    kind,
    keyless: isKeyless(provider),
    ...defined({
      scope: config.identityScope,
      configuredMode: config.apiMode,
      host: endpoint?.host,
      apiMode: endpoint && modeOf(provider, endpoint, model),
    }),
  };
}

interface HostedServices extends Omit<ModelServices, "timeouts" | "credentials">, CredentialServices {
  readonly timeoutsOf: (endpoint: Endpoint) => ModelServices["timeouts"];
}

/** Computes a value for local endpoints and one for hosted ones, both at once: their errors show at the start. */
function perLocality<T>(compute: (local: boolean) => T): (endpoint: Endpoint) => T {
  const local = compute(true);
  const hosted = compute(false);
  return (endpoint) => (endpoint.local ? local : hosted);
}

function hostedModel(provider: Provider, name: string, services: HostedServices): Model {
  const { config, info, kind, path, key } = provider;
  const configured = provider.endpoint;
  if (configured === undefined) {
    const subject = `${path}.base_url`;
    const variable = info.baseUrlVariable === undefined ? "" : `, or set ${info.baseUrlVariable}`;
    const message = `${subject} is not set: write the address of the endpoint there${variable}${OR_SETUP}`;
    throw new HostError("model_not_configured", message, { details: { subject } });
  }
  const dialect = dialectOf(modeOf(provider, configured, name));
  const facts: ModelFacts = { ...config, ...config.models?.get(name) };
  const { maxOutputTokens, reasoning } = facts;
  const fastTier = dialect.hasServiceTiers ? (facts.fastTier ?? usualFastTier(configured)) : undefined;
  const settings = {
    provider: provider.name,
    kind,
    name,
    endpoint: dialect.address(configured),
    cloud: info.cloud === true || configured.cloud,
    keyRemedy: keyRemedy(key),
    contextLength: facts.contextLength ?? usualContext(name, configured),
    asksContext: facts.contextLength === undefined && (info.selfHosted === true || configured.local),
    vision: facts.vision ?? usuallySees(name),
    stream: facts.stream ?? true,
    ...defined({ maxOutputTokens, reasoning, fastTier }),
  };
  const timeouts = services.timeoutsOf(configured);
  return dialectModel(dialect, settings, {
    ...services,
    timeouts,
    credentials: credentialsOf(key, services),
  });
}

const modeOf = ({ kind, config }: Provider, { baseUrl }: Endpoint, model: string): ApiMode =>
  chooseDialect({ kind, model, baseUrl, configuredMode: config.apiMode });

/** https://platform.openai.com/docs/guides/priority-processing */
const usualFastTier = ({ host }: Endpoint): string | undefined =>
  host === "api.openai.com" ? "priority" : undefined;

/** Resolves a stand-in at once: one that cannot be used is found out before it is needed. */
function standIn(text: string, resolve: Models["resolve"], providers: Providers): Model {
  try {
    return resolve(parseRef(text.trim(), providers));
  } catch (cause) {
    throw new HostError("config_invalid", `model.fallback names ${text}: ${toHostError(cause).message}`, {
      cause,
      details: { subject: "model.fallback" },
    });
  }
}

/** A model on its owner's machines costs nothing unless its owner says so. */
function priceOf(
  provider: Provider | undefined,
  model: Model,
  usage: Omit<Usage, "cost">,
): number | undefined {
  if (provider === undefined) return undefined;
  const { config, endpoint, info, kind } = provider;
  const configured = config.models?.get(model.name)?.price;
  if (configured !== undefined) return costOf(configured, usage);
  const selfHosted = info.selfHosted === true;
  if (kind === "demo" || (selfHosted && endpoint?.local === true)) return 0;
  const listed = selfHosted ? undefined : listPrice(model.name);
  return listed === undefined ? undefined : costOf(listed, usage);
}
