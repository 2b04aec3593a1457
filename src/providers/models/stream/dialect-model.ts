import { HostError } from "../../../shared/errors/host-error.ts";
import type { Model, ModelPart, ModelRequest } from "../../../core/index.ts";
import { authorizationOf } from "../endpoint/authorization.ts";
import { streamCall } from "./model-call.ts";
import type { Dialect, OptionalFeature } from "../dialects/dialect.ts";
import { postJson } from "../endpoint/json-post.ts";
import { MessageEncoder } from "../request/message-encoder.ts";
import { type ModelServices, type ModelSettings, readerOf, identityOf } from "../dialects/model-settings.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";

/** A model that is spoken to in a dialect. */
export function dialectModel<Encoded>(
  dialect: Dialect<Encoded>,
  settings: ModelSettings,
  services: ModelServices,
): Model {
  const { provider, name, contextLength, vision, fastTier } = settings;
  const encoder = new MessageEncoder(dialect, settings, services.images);
  const without = new Set<OptionalFeature>();
  return {
    provider,
    name,
    contextLength,
    vision,
    ...(fastTier === undefined ? {} : { hasFastTier: true }),
    mayRetry: () => services.rateLimiters.mayRetry(settings.endpoint),
    async *stream(request) {
      for (;;) {
        const shown = { any: false };
        try {
          const body = dialect.body({
            request,
            messages: await encoder.encode(request),
            settings,
            without,
          });
          for await (const part of callOnce({ dialect, settings, services }, body, request)) {
            shown.any ||= part.type !== "waiting";
            yield part;
          }
          return;
        } catch (thrown) {
          if (shown.any || !concede(thrown, request)) throw thrown;
        }
      }
    },
  };

  /** Gives up what the endpoint refused, if there is something left to give up. */
  function concede(thrown: unknown, { messages }: ModelRequest): boolean {
    if (!(thrown instanceof HostError) || thrown.code !== "provider_bad_request") return false;
    // Keys of a record with these keys only.
    const extras = Object.keys(dialect.refusals) as OptionalFeature[];
    const refused = extras.find(
      (extra) => !without.has(extra) && dialect.refusals[extra]?.test(thrown.message),
    );
    if (refused === undefined) return false;
    if (refused === "items") return encoder.leaveItemsOut(messages);
    without.add(refused);
    return true;
  }
}

interface Speaking {
  readonly dialect: Pick<Dialect<unknown>, "path" | "headers" | "reply">;
  readonly settings: ModelSettings;
  readonly services: ModelServices;
}

/** Makes one request and reads its reply. */
async function* callOnce(
  { dialect, settings, services }: Speaking,
  body: string,
  { signal, cacheKey }: ModelRequest,
): AsyncGenerator<ModelPart, void> {
  if (signal.aborted) return;
  const { endpoint, kind, stream } = settings;
  const { transport, credentials, rateLimiters, newId } = services;
  const credential = await credentials(signal).catch(unlessGone);
  if (signal.aborted) return;
  const identity = identityOf(settings, credential?.value);
  const headers = {
    ...dialect.headers(settings),
    ...authorizationOf(credential, {
      messages: dialect.path.endsWith("/messages"),
      kind,
      cloud: endpoint.cloud,
    }),
  };
  const limiter = rateLimiters.limiter(endpoint, credential);
  if (limiter.waitMs >= WORTH_SAYING_MS)
    yield { type: "waiting", text: waitingText(identity, limiter.waitMs) };
  const permit = await limiter.acquire(cacheKey, signal).catch(unlessGone);
  if (permit === undefined) return;
  try {
    yield* streamCall(
      {
        async send(life) {
          const request = { path: dialect.path, headers, body, signal: life };
          const answer = await postJson(transport, endpoint, request);
          if (answer.status < 300) permit.answered(answer.header);
          return answer;
        },
        reply: dialect.reply({ identity, reader: readerOf(settings), newId }),
        streamed: stream,
        identity,
        signal,
      },
      services,
    );
  } catch (thrown) {
    permit.done(thrown);
    throw thrown;
  } finally {
    permit.done();
  }

  /** What goes wrong once nobody waits any more is no error. */
  function unlessGone(thrown: unknown): undefined {
    if (!signal.aborted) throw thrown;
  }
}

/** Shorter pauses are nobody's business. */
const WORTH_SAYING_MS = 1000;

const waitingText = ({ host, model }: ModelIdentity, ms: number): string =>
  `${host} asked for a pause: ${model} answers in ${Math.ceil(ms / 1000)} s at the earliest`;
