import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import type { Model, ModelListing, ModelRef, Models, Usage } from "../../core/index.ts";
import type { ApiMode, ModelFacts, ModelsConfig, ProviderKind } from "./config/models-config.ts";
import { type ModelTimeouts, timeoutsFor, type EnvironmentVariables } from "./config/timeouts.ts";
import { demoModel } from "./dialects/demo/demo-model.ts";
import { dialectOf } from "./dialects/choose-dialect.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { type Endpoint, messagesEndpoint, parseEndpoint, responsesEndpoint } from "./endpoint/endpoint.ts";
import { usualContext, usuallySees } from "./catalog/families.ts";
import { RateLimiters } from "./rate-limit/rate-limiters.ts";
import { IdentityService } from "./identity/identity-service.ts";
import type { ImageFitter } from "./request/image-fitter.ts";
import { listModels } from "./catalog/list-models.ts";
import { costOf, listPrice } from "./catalog/prices.ts";
import { checkCredential, credentialsOf, type CredentialServices } from "./config/provider-credential.ts";
import { type Provider, type Providers, providersOf } from "./config/providers.ts";
import { openHttpTransport, type HttpTransport } from "./endpoint/http-transport.ts";

/** What models need beside their configuration. */
export interface ModelsOptions {
  /** Keys, addresses, timeouts and proxies are read from here. */
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  /** Milliseconds between two words of the demo model; 0 by default. */
  readonly demoDelayMs?: number;
  /** Ids for calls that come without one; random by default. */
  readonly newId?: () => string;
  /** As Node names it; decides whether there can be a desktop broker. */
  readonly platform?: string;
  /** Shared by all models of a process, also by those of an earlier configuration; a new one by default. */
  readonly rateLimiters?: RateLimiters;
  /** Makes images smaller that are too large for endpoints; without it they are left out, with a note. */
  readonly images?: ImageFitter;
}

/** How a model is reached, for whoever explains it to people. */
export interface ModelAbout {
  readonly provider: string;
  readonly kind: ProviderKind;
  readonly model: string;
  /** Host and port; absent for the demo. */
  readonly host?: string;
  readonly apiMode?: ApiMode;
  /** What its owner configured, which the family's own dialect goes before. */
  readonly configuredMode?: ApiMode;
  readonly keyless: boolean;
  /** The scope that its owner configured in place of the default one. */
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
  const timeouts = {
    local: timeoutsFor(env, { local: true }),
    hosted: timeoutsFor(env, { local: false }),
  };
  const transport = openHttpTransport(env);
  const rateLimiters = options.rateLimiters ?? new RateLimiters(clock);
  const identity = new IdentityService({ env, platform: options.platform ?? "" }, clock);
  const images = options.images === undefined ? {} : { images: options.images };
  const made = new Map<string, Model>();

  const make = (provider: Provider, name: string): Model =>
    provider.kind === "demo"
      ? demoModel({ clock, newId, delayMs: demoDelayMs })
      : hostedModel(provider, name, {
          env,
          identity,
          rateLimiters,
          clock,
          newId,
          transport,
          timeouts,
          ...images,
        });

  const resolve = (ref: ModelRef): Model => {
    const provider = ref.provider === undefined ? providers.main : providers.byName.get(ref.provider);
    if (provider === undefined) throw unknownProvider(String(ref.provider), [...providers.byName.keys()]);
    const name = ref.model ?? defaultModel(provider);
    const key = JSON.stringify([provider.name, name]);
    // The same object each time: it knows the messages that it has encoded.
    const model = made.get(key) ?? make(provider, checkName(provider, name));
    made.set(key, model);
    return model;
  };

  const standIns = (config.fallback ?? []).map((text) => standIn(text, resolve, providers));
  return {
    resolve,
    ready(ref) {
      const provider = providers.byName.get(resolve(ref).provider);
      if (provider !== undefined) checkCredential(provider, env);
    },
    about(ref) {
      const { provider: name, name: model, contextLength } = resolve(ref);
      const provider = providers.byName.get(name);
      return { provider: name, model, contextLength, ...(provider ? aboutOf(provider, model) : NO_PROVIDER) };
    },
    providerAt: (baseUrl) => providerAt(providers, baseUrl),
    fallback: (failed) => standIns.find((model) => !failed.includes(model)),
    parse: (text) => parseRef(text.trim(), providers.byName),
    list: (signal): Promise<readonly ModelListing[]> =>
      listModels({ providers, env, identity, clock, transport, signal }),
    price: (model, usage) => priceOf(providers.byName.get(model.provider), model, usage),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function providerAt({ byName }: Providers, address: string): string | undefined {
  // What is no address is nobody's.
  if (!/^https?:\/\/[^@]+$/i.test(address) || !URL.canParse(address)) return undefined;
  const { baseUrl } = parseEndpoint(address, "base_url");
  return byName.values().find(({ endpoint }) => endpoint?.baseUrl === baseUrl)?.name;
}

type AboutProvider = Omit<ModelAbout, "provider" | "model" | "contextLength">;
const NO_PROVIDER: AboutProvider = { kind: "demo", keyless: false };

function aboutOf({ kind, config, endpoint }: Provider, model: string): AboutProvider {
  const { apiMode: configuredMode, identityScope: scope } = config;
  return {
    kind,
    keyless: config.authMode === "identity_service",
    ...(scope === undefined ? {} : { scope }),
    ...(configuredMode === undefined ? {} : { configuredMode }),
    ...(endpoint === undefined
      ? {}
      : {
          host: endpoint.host,
          apiMode: dialectOf({ kind, model, baseUrl: endpoint.baseUrl, configuredMode }),
        }),
  };
}

interface HostedServices extends CredentialServices {
  readonly images?: ImageFitter;
  readonly rateLimiters: RateLimiters;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly transport: HttpTransport;
  readonly timeouts: { readonly local: ModelTimeouts; readonly hosted: ModelTimeouts };
}

function hostedModel(provider: Provider, name: string, services: HostedServices): Model {
  const { endpoint, config, kind, path, key } = provider;
  if (endpoint === undefined) {
    const message = `${path}.base_url is not set: write the address of the endpoint there, or set CLOUD_FOUNDRY_BASE_URL.`;
    throw new HostError("model_not_configured", message, { details: { subject: `${path}.base_url` } });
  }
  const { baseUrl } = endpoint;
  const mode = dialectOf({ kind, model: name, baseUrl, configuredMode: config.apiMode });
  const facts: ModelFacts = { ...config, ...config.models?.get(name) };
  const { maxOutputTokens, reasoning } = facts;
  const fastTier = mode === "messages_api" ? undefined : (facts.fastTier ?? usualFastTier(endpoint));
  const settings = {
    provider: provider.name,
    kind,
    name,
    endpoint: endpointIn(mode, endpoint),
    key,
    contextLength: facts.contextLength ?? usualContext(name, endpoint),
    vision: facts.vision ?? usuallySees(name),
    stream: facts.stream ?? true,
    ...defined({ maxOutputTokens, reasoning, fastTier }),
  };
  const timeouts = endpoint.local ? services.timeouts.local : services.timeouts.hosted;
  return DIALECTS[mode](settings, { ...services, timeouts, credentials: credentialsOf(provider, services) });
}

/** https://platform.openai.com/docs/guides/priority-processing */
const usualFastTier = ({ host }: Endpoint): string | undefined =>
  host === "api.openai.com" ? "priority" : undefined;

function endpointIn(mode: ApiMode, endpoint: Endpoint): Endpoint {
  switch (mode) {
    case "chat_completions":
      return endpoint;
    case "responses_api":
      return responsesEndpoint(endpoint);
    case "messages_api":
      return messagesEndpoint(endpoint);
  }
}

function defaultModel({ kind, config, path }: Provider): string {
  if (kind === "demo") return "demo";
  if (config.default !== undefined) return config.default;
  throw new HostError(
    "model_not_configured",
    `${path}.default is not set: write the name of a model or deployment there, or choose one with /model.`,
    { details: { subject: `${path}.default` } },
  );
}

function checkName({ kind }: Provider, name: string): string {
  if (kind !== "demo" || name === "demo") return name;
  throw new HostError(
    "model_unknown",
    `The demo provider has no model named ${name}, only demo. To use ${name}, configure its provider: \`agent setup\`, or model.provider in config.yaml.`,
    { details: { subject: name } },
  );
}

const unknownProvider = (name: string, known: readonly string[]): HostError =>
  new HostError(
    "model_unknown",
    `There is no provider named ${name}; configured are ${known.join(", ")}. Add it to model.providers in config.yaml, or choose another with /model.`,
    { details: { subject: name } },
  );

/** A stand-in that cannot be used is found out before it is needed. */
function standIn(text: string, resolve: Models["resolve"], { byName }: Providers): Model {
  try {
    return resolve(parseRef(text.trim(), byName));
  } catch (cause) {
    throw new HostError("config_invalid", `model.fallback names ${text}: ${toHostError(cause).message}`, {
      cause,
      details: { subject: "model.fallback" },
    });
  }
}

function parseRef(text: string, known: ReadonlyMap<string, unknown>): ModelRef {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const provider = !known.has(name) && name === "anthropic" ? "messages" : name;
  if (!known.has(provider)) return text === "" ? {} : { model: text };
  const model = colon < 0 ? "" : text.slice(colon + 1).trim();
  return model === "" ? { provider } : { provider, model };
}

/** What runs on one's own machines costs nothing unless its owner says so. */
function priceOf(
  provider: Provider | undefined,
  model: Model,
  usage: Omit<Usage, "cost">,
): number | undefined {
  if (provider === undefined) return undefined;
  const configured = provider.config.models?.get(model.name)?.price;
  if (configured !== undefined) return costOf(configured, usage);
  if (provider.kind === "demo" || (provider.kind === "local" && provider.endpoint?.local === true)) return 0;
  const listed = provider.kind === "local" ? undefined : listPrice(model.name);
  return listed === undefined ? undefined : costOf(listed, usage);
}
