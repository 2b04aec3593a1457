import { HostError } from "../../../shared/errors/host-error.ts";
import type { Model, ModelPart, ModelRequest } from "../../../core/index.ts";
import { authorizationOf } from "../endpoint/authorization.ts";
import { streamCall } from "./model-call.ts";
import type { Dialect, Extra } from "../dialects/dialect.ts";
import { postJson } from "../endpoint/json-post.ts";
import { MessageEncoder } from "../request/message-encoder.ts";
import { type ModelServices, type ModelSettings, readerOf, speakerOf } from "../dialects/model-settings.ts";
import type { Speaker } from "../errors/model-identity.ts";

/** A model that is spoken to in a dialect. */
export function dialectModel<Encoded>(
  dialect: Dialect<Encoded>,
  settings: ModelSettings,
  services: ModelServices,
): Model {
  const { provider, name, contextLength, vision, fastTier } = settings;
  const encoder = new MessageEncoder(dialect, settings, services.images);
  const without = new Set<Extra>();
  return {
    provider,
    name,
    contextLength,
    vision,
    ...(fastTier === undefined ? {} : { hasFastTier: true }),
    mayRetry: () => services.governor.mayRetry(settings.endpoint),
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
    const extras = Object.keys(dialect.refusals) as Extra[];
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
  const { transport, credential, governor, newId } = services;
  const proof = await credential(signal).catch(unlessGone);
  if (signal.aborted) return;
  const speaker = speakerOf(settings, proof?.value);
  const headers = {
    ...dialect.headers(settings),
    ...authorizationOf(proof, { messages: dialect.path.endsWith("/messages"), kind, cloud: endpoint.cloud }),
  };
  const lane = governor.lane(endpoint, proof);
  if (lane.wait >= WORTH_SAYING_MS) yield { type: "waiting", text: waitingText(speaker, lane.wait) };
  const pass = await lane.enter(cacheKey, signal).catch(unlessGone);
  if (pass === undefined) return;
  try {
    yield* streamCall(
      {
        async send(life) {
          const request = { path: dialect.path, headers, body, signal: life };
          const answer = await postJson(transport, endpoint, request);
          if (answer.status < 300) pass.answered(answer.header);
          return answer;
        },
        reply: dialect.reply({ speaker, reader: readerOf(settings), newId }),
        streamed: stream,
        speaker,
        signal,
      },
      services,
    );
  } catch (thrown) {
    pass.done(thrown);
    throw thrown;
  } finally {
    pass.done();
  }

  /** What goes wrong once nobody waits any more is no error. */
  function unlessGone(thrown: unknown): undefined {
    if (!signal.aborted) throw thrown;
  }
}

/** Shorter pauses are nobody's business. */
const WORTH_SAYING_MS = 1000;

const waitingText = ({ host, model }: Speaker, ms: number): string =>
  `${host} asked for a pause: ${model} answers in ${Math.ceil(ms / 1000)} s at the earliest`;
