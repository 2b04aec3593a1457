import { Deadline } from "../../../shared/async/deadline.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import type { ModelListing } from "../../../core/index.ts";
import { authorizationOf } from "../endpoint/authorization.ts";
import { ByteSource } from "../endpoint/byte-source.ts";
import type { Credential } from "../config/credentials.ts";
import { type Endpoint, MESSAGES_PROTOCOL, messagesEndpoint } from "../endpoint/endpoint.ts";
import { type ListedModel, readModelList } from "./model-list.ts";
import { credentialsOf, type CredentialServices } from "../config/provider-credential.ts";
import type { Provider, Providers } from "../config/providers.ts";
import type { HttpTransport } from "../endpoint/http-transport.ts";

interface Listing extends CredentialServices {
  readonly providers: Providers;
  readonly clock: Clock;
  readonly transport: HttpTransport;
  readonly signal: AbortSignal;
}

const LIST_MS = 6000;
const LONGEST_LIST = 1024 * 1024;
/** Models of hosted catalogues that hold no conversations. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|sora|search|davinci|babbage|rerank/i;

/** All models that can be chosen: the configured ones, and what the endpoints list within 6 s. */
export async function listModels(listing: Listing): Promise<readonly ModelListing[]> {
  const lists = await Promise.all(
    [...listing.providers.byName.values()].map((provider) => listProvider(provider, listing)),
  );
  return lists.flat();
}

async function listProvider(provider: Provider, listing: Listing): Promise<readonly ModelListing[]> {
  const { config, name, kind } = provider;
  const current =
    listing.providers.main === provider
      ? (config.default ?? (kind === "demo" ? "demo" : undefined))
      : undefined;
  const models = new Map<string, { label?: string; contextLength?: number }>();
  for (const { id, ...facts } of await listedBy(provider, listing)) models.set(id, facts);
  for (const [id, { label, contextLength }] of config.models ?? []) {
    models.set(id, { ...models.get(id), ...(label && { label }), ...(contextLength && { contextLength }) });
  }
  const own = config.default ?? (kind === "demo" ? "demo" : undefined);
  if (own !== undefined && !models.has(own))
    models.set(own, config.contextLength === undefined ? {} : { contextLength: config.contextLength });
  return [...models].map(([model, facts]) => ({
    provider: name,
    model,
    ...facts,
    current: model === current,
  }));
}

/** What an endpoint lists. The cloud service lists what it could deploy and not what is deployed, so it is not asked. */
async function listedBy(provider: Provider, listing: Listing): Promise<readonly ListedModel[]> {
  const { kind, endpoint } = provider;
  if (endpoint === undefined || kind === "demo" || kind === "cloud-foundry" || endpoint.cloud) return [];
  using deadline = new Deadline({ ...listing, ms: LIST_MS });
  try {
    const { signal } = deadline;
    const credential = await credentialsOf(provider, listing)(signal);
    const request =
      kind === "messages" ? messagesList(endpoint, credential) : plainList(endpoint, credential);
    const models = await fetchList(request, { ...listing, signal });
    return kind === "openai" ? models.filter(({ id }) => !NO_CHAT.test(id)) : models;
  } catch {
    // A list without the models of an endpoint that is down, or has no key yet, is still a list.
    return [];
  }
}

interface ListRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

function plainList(endpoint: Endpoint, credential: Credential | undefined): ListRequest {
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential.value}` };
  return { url: listUrl(endpoint, "/models"), headers };
}

/** https://platform.claude.com/docs/en/api/models/list: newest first, 20 at a time unless told. */
function messagesList(given: Endpoint, credential: Credential | undefined): ListRequest {
  const endpoint = messagesEndpoint(given);
  const url = listUrl(endpoint, "/v1/models");
  url.searchParams.set("limit", "1000");
  const manner = { messages: true, kind: "messages", cloud: endpoint.cloud } as const;
  return { url, headers: { "anthropic-version": MESSAGES_PROTOCOL, ...authorizationOf(credential, manner) } };
}

function listUrl({ baseUrl, query }: Endpoint, path: string): URL {
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function fetchList(
  { url, headers }: ListRequest,
  { transport, signal }: Listing,
): Promise<readonly ListedModel[]> {
  const answer = await transport.send({
    method: "GET",
    url: url.href,
    headers: { accept: "application/json", ...headers },
    signal,
  });
  const text = new TextDecoder().decode(await new ByteSource(answer.body).readUpTo(LONGEST_LIST));
  return (answer.status === 200 ? readModelList(JSON.parse(text)) : undefined) ?? [];
}
