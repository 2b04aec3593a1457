import type { Clock } from "../../../shared/async/clock.ts";
import { within } from "../../../shared/async/deadline.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ModelListing } from "../../../core/index.ts";
import { type ListedModel, readModelList } from "../catalog/model-list.ts";
import { credentialHeaders } from "../dialects/dialect.ts";
import { defaultDialect, type ProviderKind } from "../dialects/registry.ts";
import type { Credential } from "../endpoint/credential.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { HttpTransport } from "../endpoint/http-transport.ts";
import { askJson, QUESTION_MS } from "../endpoint/json-request.ts";
import { credentialsOf, type CredentialServices } from "./credentials.ts";
import { defaultModel, type Provider, type Providers } from "./providers.ts";

interface ListServices extends CredentialServices {
  readonly providers: Providers;
  readonly clock: Clock;
  readonly transport: HttpTransport;
  readonly signal: AbortSignal;
}

/** Lists all models that can be chosen: the configured ones, and those that the endpoints list within 6 s. */
export async function listModels(services: ListServices): Promise<readonly ModelListing[]> {
  const lists = await Promise.all(
    [...services.providers.byName.values()].map((provider) => listProvider(provider, services)),
  );
  return lists.flat();
}

async function listProvider(provider: Provider, services: ListServices): Promise<readonly ModelListing[]> {
  const { config, name } = provider;
  const models = new Map<string, { label?: string; contextLength?: number }>();
  for (const { id, ...facts } of await askEndpoint(provider, services)) models.set(id, facts);
  for (const [id, { label, contextLength }] of config.models ?? [])
    models.set(id, { ...models.get(id), ...defined({ label, contextLength }) });
  const own = defaultModel(provider);
  if (own !== undefined && !models.has(own))
    models.set(own, defined({ contextLength: config.contextLength }));
  const isMain = services.providers.main === provider;
  return [...models].map(([model, facts]) => ({
    provider: name,
    model,
    ...facts,
    current: isMain && model === own,
  }));
}

/** Asks an endpoint for its list. The cloud service is not asked: it lists what could be deployed, not what is. */
async function askEndpoint(provider: Provider, services: ListServices): Promise<readonly ListedModel[]> {
  const { kind, info, key } = provider;
  if (provider.endpoint === undefined || info.cloud === true || provider.endpoint.cloud) return [];
  const list = modelListAt(provider.endpoint, kind);
  try {
    const answer = await within({ ...services, ms: QUESTION_MS }, async (signal) => {
      const credential = await credentialsOf(key, services)(signal);
      return await askJson({ ...list, headers: list.headersWith(credential) }, { ...services, signal });
    });
    const models = (answer?.status === 200 ? readModelList(answer.body) : undefined) ?? [];
    return models.filter(({ id }) => info.notForChat?.test(id) !== true);
  } catch {
    // A list without the models of an endpoint that is down, or has no key yet, is still a list.
    return [];
  }
}

/** Where an endpoint of a kind lists its models, and the headers of the question. */
export function modelListAt(of: Endpoint, kind: ProviderKind) {
  const dialect = defaultDialect(kind);
  const { path, query, headers } = dialect.modelList;
  const addressed = dialect.address(of);
  const endpoint = { ...addressed, query: { ...addressed.query, ...query } };
  const headersWith = (credential: Credential | undefined) => ({
    ...headers,
    ...credentialHeaders(dialect, credential, { kind, endpoint }),
  });
  return { endpoint, path, headersWith };
}
