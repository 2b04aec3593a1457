import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { Model, ModelPart, ModelRequest } from "../../../core/index.ts";
import { credentialHeaders, type Dialect, type OptionalFeature } from "../dialects/dialect.ts";
import { type ModelSettings, readerOf } from "../dialects/model-settings.ts";
import { requestUrl } from "../endpoint/endpoint.ts";
import { identityOf, type ModelIdentity } from "../errors/model-identity.ts";
import { type Body, BodyEncoder } from "../request/body-encoder.ts";
import { askContext, type AskedModel } from "./context-question.ts";
import { ImageTrial } from "./image-trial.ts";
import type { ModelServices } from "./model-services.ts";
import { type ModelCall, offered, type PartTaker, streamCall } from "./model-call.ts";

/** Makes a model that is asked in a dialect. */
export function dialectModel(dialect: Dialect, settings: ModelSettings, services: ModelServices): Model {
  const { provider, name, fastTier } = settings;
  const model: AskedModel = { dialect, settings, services };
  const known = services.learned.of(settings.endpoint, name);
  const encoder = new BodyEncoder(dialect, settings, services.images);
  const without = new Set<OptionalFeature>();
  const prepare = (signal: AbortSignal): Promise<string | undefined> => askContext(model, known, signal);
  return {
    provider,
    name,
    prepare,
    get contextLength() {
      return (settings.asksContext ? known.contextLength : undefined) ?? settings.contextLength;
    },
    get vision() {
      return settings.vision ?? known.vision ?? true;
    },
    ...defined({ hasFastTier: fastTier === undefined ? undefined : true }),
    mayRetry: () => services.rateLimiters.mayRetry(settings.endpoint),
    stream: (request) => offered((taker) => parts(request, taker)),
  };

  async function* parts(request: ModelRequest, taker: PartTaker): AsyncGenerator<ModelPart, void> {
    const warning = await prepare(request.signal);
    if (warning !== undefined && known.isWarned !== true) {
      known.isWarned = true;
      yield { type: "notice", text: warning };
    }
    const trial = new ImageTrial(settings.vision, known);
    for (;;) {
      let call: ModelCall | undefined;
      try {
        const body = await encoder.encode(request, { images: trial, without });
        const prepared = await prepareCall(model, body, request);
        if (prepared?.waiting !== undefined) yield prepared.waiting;
        call = await prepared?.start();
        if (call === undefined) return;
        yield* streamCall(call, services, taker);
        trial.passed();
        services.learned.keep(settings.endpoint, name);
        return;
      } catch (thrown) {
        if (call?.hasParts === true || !(trial.refused(thrown) || leaveOut(thrown, request))) throw thrown;
      }
    }
  }

  /** Leaves out the feature that the endpoint refused. `false` when it refused none that the request still has. */
  function leaveOut(thrown: unknown, { messages }: ModelRequest): boolean {
    if (!(thrown instanceof HostError) || thrown.code !== "provider_bad_request") return false;
    // Keys of a record with these keys only.
    const features = Object.keys(dialect.refusals) as OptionalFeature[];
    const refused = features.find(
      (feature) => !without.has(feature) && dialect.refusals[feature]?.test(thrown.message),
    );
    if (refused === undefined) return false;
    if (refused === "items") return encoder.leaveItemsOut(messages);
    without.add(refused);
    return true;
  }
}

/** A call that may have to wait for its turn at the endpoint. */
interface PreparedCall {
  /** Says so, when the wait is long. */
  readonly waiting: ModelPart | undefined;
  /** Waits for its turn; `undefined` when the request was aborted meanwhile. @throws HostError `provider_*` */
  start(): Promise<ModelCall | undefined>;
}

/** Prepares one call; `undefined` when the request was aborted. @throws HostError `provider_*` */
async function prepareCall(
  { dialect, settings, services }: AskedModel,
  body: Body,
  { signal, cacheKey }: ModelRequest,
): Promise<PreparedCall | undefined> {
  if (signal.aborted) return undefined;
  const { endpoint, stream } = settings;
  const { transport, credentials, rateLimiters, newId } = services;
  const credential = await credentials(signal).catch(unlessAborted);
  if (signal.aborted) return undefined;
  const identity = identityOf(settings, credential?.value);
  const headers = {
    ...REQUEST_HEADERS,
    ...dialect.headers(settings),
    ...credentialHeaders(dialect, credential, settings),
  };
  const limiter = rateLimiters.limiter(endpoint, credential);
  return {
    waiting: limiter.waitMs >= SHORTEST_REPORTED_WAIT_MS ? waitingPart(identity, limiter.waitMs) : undefined,
    async start() {
      const permit = await limiter.acquire(cacheKey, signal).catch(unlessAborted);
      if (permit === undefined) return undefined;
      return {
        async send(life) {
          const url = requestUrl(endpoint, dialect.path);
          const response = await transport.send({ method: "POST", url, headers, body, signal: life });
          if (response.status < 300) permit.answered(response.header);
          return response;
        },
        reply: dialect.reply({ identity, reader: readerOf(settings), newId }),
        hasParts: false,
        streamed: stream,
        identity,
        signal,
        over: permit.done,
      };
    },
  };

  /** Once the request is aborted nobody needs to know what else went wrong. */
  function unlessAborted(thrown: unknown): undefined {
    if (!signal.aborted) throw thrown;
  }
}

/**
 * Requests are posted without the vendors' packages: loading them would take several times longer than everything else
 * that the host does with a prompt.
 */
const REQUEST_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "user-agent": "agent-host",
};

/** Shorter pauses are not reported. */
const SHORTEST_REPORTED_WAIT_MS = 1000;

const waitingPart = ({ host, model }: ModelIdentity, ms: number): ModelPart => ({
  type: "waiting",
  text: `${host} asked for a pause: ${model} answers in ${Math.ceil(ms / 1000)} s at the earliest`,
});
