import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { ModelPart } from "../../../core/index.ts";
import type { BodyDecoder, BodyPiece } from "./body-decoder.ts";
import { ByteSource } from "../endpoint/byte-source.ts";
import { classifyRefusal } from "../errors/provider-error.ts";
import type { ModelTimeouts } from "../config/timeouts.ts";
import { networkError, stalledError } from "../errors/network-error.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import { ResponseTooLarge } from "../errors/response-too-large.ts";
import type { ReplyDecoder } from "../reply/reply-decoder.ts";
import type { HttpResponse } from "../endpoint/http-client.ts";
import type { ModelServices } from "./model-services.ts";
import { type TimeoutKind, type TimeoutLimits, TimeoutMonitor } from "./timeout-monitor.ts";

/** One request to a model. */
export interface ModelCall {
  send(signal: AbortSignal): Promise<HttpResponse>;
  readonly reply: ReplyDecoder;
  readonly streamed: boolean;
  readonly identity: ModelIdentity;
  readonly signal: AbortSignal;
}

/** Made once: an abort without a reason makes a new exception each time. */
const GIVEN_UP = new Error("The call was given up.");
/** Milliseconds that a whole reply waits for its end marker and its usage. */
const TAIL_MS = 5000;
const LONGEST_REFUSAL = 64 * 1024;
/** Bytes without a part of a reply: after these the endpoint is something else than a model. */
const LARGEST_SILENCE = 64 * 2 ** 20;

/**
 * Makes one call and yields the parts of its reply. Ends early when the signal aborts; every other end is a `finish`
 * or an error, at the latest when a timeout is reached.
 *
 * @throws HostError `provider_*`
 */
export async function* streamCall(
  call: ModelCall,
  { clock, timeouts }: Pick<ModelServices, "clock" | "timeouts">,
): AsyncGenerator<ModelPart, void> {
  const { reply, signal, identity } = call;
  if (signal.aborted) return;
  const life = new AbortController();
  let timedOut: TimeoutKind | undefined;
  const monitor = new TimeoutMonitor(clock, limitsOf(call, timeouts), (why) => {
    timedOut = why;
    life.abort(GIVEN_UP);
  });
  const stop = (): void => life.abort(GIVEN_UP);
  signal.addEventListener("abort", stop, { once: true });
  let source: ByteSource | undefined;
  try {
    try {
      source = yield* parts(call, { monitor, clock, life: life.signal });
    } catch (thrown) {
      if (signal.aborted) return;
      // A reply that is whole stays one, whatever happens to the connection after it.
      if (reply.state === "open")
        throw timedOut === undefined ? thrown : stalledError(timedOut, timeouts, identity);
    }
    if (signal.aborted) return;
    yield* reply.end();
  } catch (thrown) {
    throw networkError(thrown, identity);
  } finally {
    signal.removeEventListener("abort", stop);
    monitor.stop();
    if (source === undefined) life.abort(GIVEN_UP);
    else source.drain(clock);
  }
}

function limitsOf({ streamed }: ModelCall, { readMs, staleMs, wholeMs }: ModelTimeouts): TimeoutLimits {
  return streamed ? { read: readMs, stale: staleMs, tail: TAIL_MS } : { whole: wholeMs, tail: TAIL_MS };
}

interface Exchange {
  readonly monitor: TimeoutMonitor;
  readonly clock: Clock;
  readonly life: AbortSignal;
}

let decoding: Promise<{ readonly BodyDecoder: typeof BodyDecoder }> | undefined;

/** The parser of event streams is loaded with the first request, and not while the program starts. */
const loadDecoder = () => (decoding ??= import("./body-decoder.ts"));

/** Yields parts until the reply is done or its body over; returns the body for the rest of it. */
async function* parts(
  call: ModelCall,
  { monitor, clock, life }: Exchange,
): AsyncGenerator<ModelPart, ByteSource> {
  const { reply, identity } = call;
  const loading = loadDecoder();
  const { status, header, body } = await call.send(life);
  monitor.bytes();
  const source = new ByteSource(body);
  if (status < 200 || status >= 300) {
    const text = new TextDecoder().decode(await source.readUpTo(LONGEST_REFUSAL));
    throw classifyRefusal({ status, header, body: text }, identity, clock.now());
  }
  const decoder = new (await loading).BodyDecoder();
  for (let silent = 0; ;) {
    const bytes = await source.read();
    monitor.bytes();
    silent += bytes?.length ?? 0;
    const failure = feed(reply, () => (bytes === undefined ? decoder.end() : decoder.push(bytes)), identity);
    const fresh = reply.take();
    if (fresh.length > 0) {
      silent = 0;
      monitor.progress();
      monitor.pause();
      yield* fresh;
      monitor.resume();
    }
    if (failure !== undefined) throw failure.thrown;
    if (silent > LARGEST_SILENCE) throw new ResponseTooLarge();
    if (bytes === undefined || reply.state === "done") return source;
    if (reply.state === "finishing") monitor.finishing();
  }
}

/** Hands pieces to the reply. It returns a failure, so that the parts before it are not lost. */
function feed(
  reply: ReplyDecoder,
  decode: () => readonly BodyPiece[],
  identity: ModelIdentity,
): { readonly thrown: unknown } | undefined {
  try {
    for (const piece of decode()) {
      if (reply.state === "done") return undefined;
      if (piece.type === "event") reply.event(piece.event.name, piece.event.data);
      else reply.document(parseDocument(piece.text, identity));
    }
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

function parseDocument(text: string, { host, model }: ModelIdentity): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (text.startsWith("<")) {
      const message = `${host} answered ${model} with a web page and not with a reply. Is base_url the address of a model endpoint?`;
      throw new HostError("provider_bad_request", message, { cause });
    }
    const message = `The answer of ${model} at ${host} broke off or is no JSON. Try again.`;
    throw new HostError("provider_network", message, { cause });
  }
}
