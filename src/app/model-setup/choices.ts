import { HostError } from "../../shared/errors/host-error.ts";
import {
  type ApiMode,
  CLOUD_DOMAINS,
  KINDS,
  PROVIDER_KINDS,
  type ProviderKind,
  usualKeyVariables,
} from "../../providers/models/index.ts";

/** The wishes of a person or a script for the model. An absent one is asked for, detected, or left at its default. */
export interface ModelWishes {
  readonly provider?: ProviderKind;
  readonly baseUrl?: string;
  /** The variable that holds the key. */
  readonly keyEnv?: string;
  /** The key itself, to be put into `.env`. */
  readonly key?: string;
  readonly keyless: boolean;
  readonly scope?: string;
  readonly apiMode?: ApiMode;
  readonly model?: string;
  /** Tokens. */
  readonly contextLength?: number;
}

/** Wishes whose provider is known. */
export interface PlacedWishes extends ModelWishes {
  readonly provider: ProviderKind;
}

/** A choice of a model that is complete and can be saved. */
export interface CompleteChoice extends PlacedWishes {
  readonly model: string;
}

/** The variable that holds the key of these choices, and whether the configuration must name it. */
export function keyVariable({ provider, keyEnv, baseUrl }: PlacedWishes): {
  readonly name: string | undefined;
  readonly named: boolean;
} {
  if (keyEnv !== undefined) return { name: keyEnv, named: true };
  const { keyVariables = [], setupKeyVariable } = PROVIDER_KINDS[provider];
  if (setupKeyVariable !== undefined) return { name: setupKeyVariable, named: true };
  const [name] = usualKeyVariables(provider, baseUrl);
  // Its usual variables hold keys for other hosts.
  if (name === undefined && keyVariables.length > 0) return { name: OTHER_KEY, named: true };
  return { name, named: false };
}

/** The variable of a key for an address that is neither the vendor's nor the cloud service's. */
const OTHER_KEY = "MODEL_API_KEY";

/** The `model` block of choices, as `config.yaml` has it; `undefined` takes a key out. */
export function modelBlock(choices: CompleteChoice): Readonly<Record<string, unknown>> {
  const { provider, baseUrl, keyless, scope, apiMode, model, contextLength, key, keyEnv } = choices;
  const variable = keyVariable(choices);
  const hasKey = key !== undefined || keyEnv !== undefined;
  return {
    provider,
    base_url: baseUrl,
    api_mode: apiMode,
    auth_mode: keyless ? "identity_service" : undefined,
    // Written only where it differs from the default.
    identity: keyless && scope !== undefined ? { scope } : undefined,
    key_env: !keyless && hasKey && variable.named ? variable.name : undefined,
    default: provider === "demo" ? undefined : model,
    context_length: contextLength,
  };
}

/** Guesses the provider of an address by its host. @throws HostError `config_invalid` for an address that is none */
export function providerOf(address: string): ProviderKind {
  const host = URL.parse(address)?.hostname.toLowerCase();
  if (host === undefined)
    throw new HostError("config_invalid", "The address is no URL. An example: http://localhost:8080/v1");
  const isCloud = CLOUD_DOMAINS.some((domain) => host.endsWith(domain));
  const kind = KINDS.find((each) => {
    const { cloud, baseUrl = "", selfHosted } = PROVIDER_KINDS[each];
    return cloud === true ? isCloud : selfHosted !== true && URL.parse(baseUrl)?.hostname === host;
  });
  return kind ?? "local";
}
