import { defined } from "../../../shared/json/defined.ts";
import type { ModelFacts, TokenPrice } from "../catalog/model-facts.ts";
import { type ApiMode, kindNamed, type ProviderKind } from "../dialects/registry.ts";
import { configError } from "./config-error.ts";
import { BlockWire, type EntryBlock, KEY_ENV_ALIASES } from "./config-schema.ts";

/** One provider as its owner configured it; absent parts are the defaults of its kind, facts hold for its models. */
export interface ProviderConfig extends Omit<ModelFacts, "label" | "price"> {
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  readonly apiMode?: ApiMode;
  readonly authMode?: "api_key" | "identity_service";
  readonly default?: string;
  readonly identityScope?: string;
  /** Name of the environment variable that holds the key. */
  readonly keyEnv?: string;
  readonly apiKey?: string;
  /** Domains of the cloud service beside the ones that are known. */
  readonly cloudDomains?: readonly string[];
  readonly models?: ReadonlyMap<string, ModelFacts>;
}

/** The `model` block: the provider to use with its settings, and further providers by name. */
export interface ModelsConfig extends ProviderConfig {
  /** A kind, or a name in `providers`. Absent: nothing is configured. */
  readonly provider?: string;
  readonly providers?: ReadonlyMap<string, ProviderConfig>;
  /** Models that stand in for one that failed, in this order: `provider:model` or the name of a model. */
  readonly fallback?: readonly string[];
}

/**
 * Reads the `model` block of the configuration; an absent one is an empty one.
 *
 * @param block - the block as its file had it, nothing checked yet
 * @param place - where it stands, for the error
 * @throws HostError `config_invalid`; message and `details.subject` name the key
 */
export function parseModelsConfig(block: unknown, place?: string): ModelsConfig {
  const result = BlockWire.safeParse(block ?? {});
  if (!result.success) throw configError(result.error.issues, place);
  const { provider, providers, fallback, ...own } = result.data;
  const entries = Object.entries(providers ?? {}).map(([name, entry]) => [name, decodeEntry(entry)] as const);
  return defined({
    ...decodeEntry(own),
    // An entry of the name that was written goes before the kind of that name.
    provider:
      provider === undefined || Object.hasOwn(providers ?? {}, provider)
        ? provider
        : (kindNamed(provider) ?? provider),
    fallback,
    providers: providers && new Map(entries),
  });
}

function decodeEntry(wire: EntryBlock): ProviderConfig {
  return defined({
    ...decodeFacts(wire),
    kind: wire.kind,
    baseUrl: wire.base_url,
    apiMode: wire.api_mode,
    authMode: wire.auth_mode,
    default: wire.default,
    // A blank scope means the default one.
    identityScope: wire.identity?.scope || undefined,
    keyEnv: KEY_ENV_ALIASES.map((alias) => wire[alias]).find((name) => name !== undefined),
    apiKey: wire.api_key,
    cloudDomains: wire.cloud_domains,
    models: decodeModels(wire),
  });
}

function decodeModels({ models, prices = {} }: EntryBlock): ReadonlyMap<string, ModelFacts> | undefined {
  const listed = Array.isArray(models)
    ? Object.fromEntries(models.map((name) => [name, null]))
    : (models ?? {});
  const names = new Set([...Object.keys(listed), ...Object.keys(prices)]);
  if (names.size === 0) return undefined;
  return new Map(
    [...names].map((name) => {
      const facts = listed[name] ?? {};
      const price = prices[name] && decodePrice(prices[name]);
      return [name, defined({ ...decodeFacts(facts), label: facts.label, price })];
    }),
  );
}

type Wire<Key extends keyof EntryBlock> = Pick<EntryBlock, Key>;

const decodeFacts = (
  wire: Wire<"context_length" | "max_output_tokens" | "vision" | "reasoning" | "stream" | "fast_tier">,
): Omit<ModelFacts, "label" | "price"> =>
  defined({
    contextLength: wire.context_length,
    maxOutputTokens: wire.max_output_tokens,
    vision: wire.vision,
    reasoning: wire.reasoning,
    stream: wire.stream,
    fastTier: wire.fast_tier,
  });

const decodePrice = (wire: NonNullable<EntryBlock["prices"]>[string]): TokenPrice =>
  defined({
    input: wire.input,
    output: wire.output,
    cacheRead: wire.cache_read,
    cacheWrite: wire.cache_write,
  });
