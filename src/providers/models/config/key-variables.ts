import type { KeyVariable, ProviderKindInfo } from "../dialects/provider-kind.ts";
import { PROVIDER_KINDS, type ProviderKind } from "../dialects/registry.ts";
import { isThisMachine } from "../../../shared/net/url-parts.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { type EnvironmentVariables, valueOf } from "./environment.ts";
import { parseEndpoint } from "./parse-endpoint.ts";

/** The variables of a kind of provider, sorted by whether their keys are for an endpoint. */
export interface KeyVariables {
  /** The first one that is set counts. */
  readonly usable: readonly string[];
  /** Their keys are for other hosts: by name, the host or service that they are for. */
  readonly foreign: ReadonlyMap<string, string>;
}

/**
 * Sorts the key variables of a kind. A vendor's key goes to the vendor's host and to the address that the environment
 * names beside it; a key of the cloud service goes to every host but vendors'. Both go to this machine.
 */
export function keyVariablesAt(
  info: ProviderKindInfo,
  endpoint: Endpoint | undefined,
  env: EnvironmentVariables,
): KeyVariables {
  const { keyVariables = [], baseUrl, baseUrlVariable } = info;
  const vendor = baseUrl === undefined ? undefined : hostOf(baseUrl);
  const named = baseUrlVariable === undefined ? undefined : valueOf(env, baseUrlVariable);
  const host = endpoint?.host ?? vendor;
  const isFor = ({ service }: KeyVariable): boolean => {
    if (endpoint !== undefined && isThisMachine(endpoint.host)) return true;
    if (service === "cloud") return host === undefined || !VENDOR_HOSTS.has(host);
    return (
      host === vendor || (named !== undefined && parseEndpoint(named, String(baseUrlVariable)).host === host)
    );
  };
  // At other hosts than the vendor's a key of the cloud goes first.
  const ordered = host === vendor ? keyVariables.toReversed() : keyVariables;
  const foreign = keyVariables.filter((variable) => !isFor(variable));
  return {
    usable: ordered.filter(isFor).map(({ name }) => name),
    foreign: new Map(
      foreign.map(({ name, service }) => [name, service === "cloud" ? "the cloud service" : (vendor ?? "")]),
    ),
  };
}

/** The variables whose keys a provider of a kind uses at an address, by default its vendor's, when nothing names one. */
export function usualKeyVariables(kind: ProviderKind, address: string | undefined): readonly string[] {
  const endpoint = address === undefined ? undefined : parseEndpoint(address, "The address");
  return keyVariablesAt(PROVIDER_KINDS[kind], endpoint, {}).usable;
}

const hostOf = (address: string): string => new URL(address).host;

const VENDOR_HOSTS: ReadonlySet<string> = new Set(
  Object.values(PROVIDER_KINDS).flatMap(({ baseUrl, selfHosted }) =>
    baseUrl === undefined || selfHosted === true ? [] : [hostOf(baseUrl)],
  ),
);
