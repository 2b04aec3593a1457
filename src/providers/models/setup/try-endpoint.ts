import type { Clock } from "../../../shared/async/clock.ts";
import { Deadline } from "../../../shared/async/deadline.ts";
import { type ListedModel, readModelList } from "../catalog/model-list.ts";
import { PROVIDER_KINDS, type ProviderKind } from "../dialects/registry.ts";
import { type EnvironmentVariables, valueOf } from "../config/environment.ts";
import { modelListAt } from "../config/list-models.ts";
import { recommendedFirst } from "./recommended-first.ts";
import { parseEndpoint } from "../config/parse-endpoint.ts";
import { ByteSource } from "../endpoint/byte-source.ts";
import type { Credential } from "../endpoint/credential.ts";
import { requestUrl } from "../endpoint/endpoint.ts";
import { openHttpTransport } from "../endpoint/http-transport.ts";
import { QUESTION_MS } from "../endpoint/json-request.ts";
import { errorText } from "../errors/error-text.ts";
import { networkError } from "../errors/network-error.ts";

/** The answer of an endpoint to the question for its models: a list, or what is wrong, and with which field of a choice. */
export type EndpointAnswer =
  | { readonly ok: true; readonly models: readonly ListedModel[] }
  | { readonly ok: false; readonly field: "key" | "address"; readonly text: string };

/** The endpoint to ask, and the means to do so. */
interface TryOptions {
  readonly kind: ProviderKind;
  /** Of the vendor by default. */
  readonly address?: string;
  readonly credential: Credential | undefined;
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const LONGEST_LIST = 4 * 1024 * 1024;

/**
 * Asks an endpoint for its models, to learn whether the address and the key are right. `undefined`: the answer says
 * neither, as that of an endpoint without such a list.
 *
 * @throws HostError `config_invalid` for an address that is none
 */
export async function tryEndpoint(options: TryOptions): Promise<EndpointAnswer | undefined> {
  const { kind, credential, env } = options;
  const { baseUrl = "", baseUrlVariable = "", notForChat } = PROVIDER_KINDS[kind];
  const address = options.address ?? valueOf(env, baseUrlVariable) ?? baseUrl;
  const { endpoint, path, headersWith } = modelListAt(parseEndpoint(address, "The address"), kind);
  const identity = {
    provider: kind,
    model: "its list of models",
    host: endpoint.host,
    keyRemedy: "",
    secrets: credential === undefined ? [] : [credential.value],
  };
  await using transport = openHttpTransport(env);
  using deadline = new Deadline({ ...options, ms: QUESTION_MS });
  try {
    const response = await transport.send({
      method: "GET",
      url: requestUrl(endpoint, path),
      headers: { accept: "application/json", ...headersWith(credential) },
      signal: deadline.signal,
    });
    const body = new TextDecoder().decode(await new ByteSource(response.body).readUpTo(LONGEST_LIST));
    const models = response.status === 200 ? listIn(body) : undefined;
    if (models !== undefined)
      return {
        ok: true,
        models: recommendedFirst(
          kind,
          models.filter(({ id }) => notForChat?.test(id) !== true),
        ),
      };
    if (![400, 401, 403].includes(response.status)) return undefined;
    const words = errorText(body, identity.secrets);
    // Some vendors call a wrong key a bad request.
    if (response.status === 400 && !/key|token|auth/i.test(words)) return undefined;
    const said = words === "" ? "." : `: "${words}"`;
    return { ok: false, field: "key", text: `${endpoint.host} answered ${response.status}${said}` };
  } catch (thrown) {
    const text = deadline.signal.aborted
      ? `${endpoint.host} did not answer in ${QUESTION_MS / 1000} s.`
      : networkError(thrown, identity).message;
    return { ok: false, field: "address", text };
  }
}

function listIn(body: string): readonly ListedModel[] | undefined {
  try {
    return readModelList(JSON.parse(body));
  } catch {
    // A page, or nothing.
    return undefined;
  }
}
