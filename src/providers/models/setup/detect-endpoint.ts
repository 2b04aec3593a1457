import { Deadline } from "../../../shared/async/deadline.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { ByteSource } from "../endpoint/byte-source.ts";
import type { ApiMode } from "../config/models-config.ts";
import type { Credential } from "../config/credentials.ts";
import type { EnvironmentVariables } from "../config/timeouts.ts";
import { hasMessagesMarker } from "../dialects/choose-dialect.ts";
import { type Endpoint, MESSAGES_PROTOCOL, messagesEndpoint, parseEndpoint } from "../endpoint/endpoint.ts";
import { type ListedModel, readModelList } from "../catalog/model-list.ts";
import { openHttpTransport, type HttpTransport } from "../endpoint/http-transport.ts";
import { servedContext } from "./served-context.ts";

/** What an address turned out to be. */
export interface DetectedEndpoint {
  readonly apiMode: ApiMode;
  /** As `model.base_url` takes it. */
  readonly baseUrl: string;
  /** What it lists; a deployment may have a name that is not among them. */
  readonly models: readonly ListedModel[];
  /** What told: a segment of the path, a list of models, or an answer in the shape of messages. */
  readonly by: "path" | "models" | "messages";
}

export interface DetectOptions {
  /** The address as its owner gave it. */
  readonly address: string;
  readonly credential: Credential | undefined;
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const PROBE_MS = 6000;
const LONGEST_LIST = 1024 * 1024;
/** A server with more models than these is not asked about each. */
const SHORT_LIST = 8;
const LONGEST_REFUSAL = 64 * 1024;
/** Legacy addresses of the cloud service list their models only with one of these. */
const LIST_VERSIONS = [undefined, "2025-04-01-preview", "2024-10-21"];

/**
 * Finds out what an address speaks: by its path, by `GET /models` without and with an `api-version`, by the shape of an
 * answer to messages. `undefined`: its owner has to say. Each request has 6 s; a request that fails says nothing.
 *
 * @throws HostError `config_invalid` for an address that is none
 */
export async function detectEndpoint(options: DetectOptions): Promise<DetectedEndpoint | undefined> {
  const endpoint = parseEndpoint(options.address, "The address");
  await using transport = openHttpTransport(options.env);
  const probe: Probe = { ...options, transport };
  if (hasMessagesMarker(endpoint.baseUrl))
    return { apiMode: "messages_api", baseUrl: addressOf(endpoint), models: [], by: "path" };
  for (const version of LIST_VERSIONS) {
    const asked = version === undefined ? endpoint : withVersion(endpoint, version);
    const models = await listOf(asked, probe);
    if (models === undefined) continue;
    const isLong = models.length > SHORT_LIST;
    const known = isLong
      ? models
      : await Promise.all(models.map((model) => withContext(model, asked, probe)));
    return { apiMode: "chat_completions", baseUrl: addressOf(asked), models: known, by: "models" };
  }
  return (await speaksMessages(endpoint, probe))
    ? { apiMode: "messages_api", baseUrl: addressOf(endpoint), models: [], by: "messages" }
    : undefined;
}

interface Probe extends DetectOptions {
  readonly transport: HttpTransport;
}

const withVersion = (endpoint: Endpoint, version: string): Endpoint => ({
  ...endpoint,
  query: { "api-version": version, ...endpoint.query },
});

const addressOf = ({ baseUrl, query }: Endpoint): string => {
  const search = new URLSearchParams(query).toString();
  return search === "" ? baseUrl : `${baseUrl}?${search}`;
};

/** A key is shown in all the ways in which some endpoint wants to see it; a token in the one way that tokens have. */
function credentialHeaders(credential: Credential | undefined): Readonly<Record<string, string>> {
  if (credential === undefined) return {};
  const bearer = { authorization: `Bearer ${credential.value}` };
  return credential.kind === "token" ? bearer : { ...bearer, "api-key": credential.value };
}

async function listOf(endpoint: Endpoint, probe: Probe): Promise<readonly ListedModel[] | undefined> {
  const headers = { accept: "application/json", ...credentialHeaders(probe.credential) };
  const answer = await ask({ method: "GET", endpoint, path: "/models", headers }, probe);
  return answer?.status === 200 ? readModelList(answer.body) : undefined;
}

/** Lists seldom say how much context a server was started with; some servers say it elsewhere. */
async function withContext(model: ListedModel, endpoint: Endpoint, probe: Probe): Promise<ListedModel> {
  if (model.contextLength !== undefined || !endpoint.local) return model;
  const root = { ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/v1$/, "") };
  const contextLength = await servedContext(model.id, async (path, body) => {
    const request = { endpoint: root, path, headers: { accept: "application/json" } };
    const answer = await ask(
      body === undefined ? { ...request, method: "GET" } : { ...request, method: "POST", body },
      probe,
    );
    return answer?.status === 200 ? answer.body : undefined;
  });
  return contextLength === undefined ? model : { ...model, contextLength };
}

/** Whether an endpoint answers a request for one token of a made-up model in the shape of messages. */
async function speaksMessages(endpoint: Endpoint, probe: Probe): Promise<boolean> {
  const { credential } = probe;
  const key = credential?.kind === "key" ? { "x-api-key": credential.value } : {};
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "anthropic-version": MESSAGES_PROTOCOL,
    ...credentialHeaders(credential),
    ...key,
  };
  const body = { model: "probe", max_tokens: 1, messages: [{ role: "user", content: "ping" }] };
  const request = {
    method: "POST",
    endpoint: messagesEndpoint(endpoint),
    path: "/v1/messages",
    headers,
    body,
  } as const;
  const answer = await ask(request, probe);
  if (answer === undefined) return false;
  const { status, body: said } = answer;
  const kind = isJsonObject(said) ? said["type"] : undefined;
  if (kind === "message" || (kind === "error" && isJsonObject(said) && isJsonObject(said["error"])))
    return true;
  return status === 400 && /messages|model/i.test(JSON.stringify(said));
}

interface Request {
  readonly method: "GET" | "POST";
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function ask(
  { method, endpoint, path, headers, body }: Request,
  { transport, clock, signal }: Probe,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  using deadline = new Deadline({ clock, ms: PROBE_MS, signal });
  const search = new URLSearchParams(endpoint.query).toString();
  try {
    const answer = await transport.send({
      method,
      url: `${endpoint.baseUrl}${path}${search === "" ? "" : `?${search}`}`,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: deadline.signal,
    });
    const limit = answer.status === 200 ? LONGEST_LIST : LONGEST_REFUSAL;
    const text = new TextDecoder().decode(await new ByteSource(answer.body).readUpTo(limit));
    return { status: answer.status, body: JSON.parse(text) as unknown };
  } catch {
    // Nobody there, too late, or no JSON: no answer of a model endpoint.
    return undefined;
  }
}
