import type { Clock } from "../../../shared/async/clock.ts";
import type { ModelPart, ModelParts } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import type { BodyDecoder } from "./body-decoder.ts";
import { ByteSource } from "../endpoint/byte-source.ts";
import { classifyRefusal } from "../errors/provider-error.ts";
import type { ModelTimeouts } from "../config/timeouts.ts";
import { networkError, stalledError } from "../errors/network-error.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import type { ReplyDecoder } from "../reply/reply-decoder.ts";
import type { HttpResponse } from "../endpoint/http-client.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { ModelServices } from "./model-services.ts";
import { type TimeoutKind, type TimeoutLimits, TimeoutMonitor } from "./timeout-monitor.ts";

/** One request to a model. */
export interface ModelCall {
  send(signal: AbortSignal): Promise<HttpResponse>;
  readonly reply: ReplyDecoder;
  /** Parts of its reply were yielded or taken: it cannot be made again. */
  hasParts: boolean;
  readonly streamed: boolean;
  readonly identity: ModelIdentity;
  readonly signal: AbortSignal;
  /** Told of its end, with its error if it failed. Only the first report counts. */
  over(error?: unknown): void;
}

/** The place of whoever takes parts at once, for as long as a reply is read. */
export interface PartTaker {
  take?: (part: ModelPart) => boolean;
}

/** Makes parts that may be taken at once. */
export function offered(make: (taker: PartTaker) => AsyncGenerator<ModelPart, void>): ModelParts {
  const taker: PartTaker = {};
  return Object.assign(make(taker), {
    offerTo: (take: NonNullable<PartTaker["take"]>) => void (taker.take = take),
  });
}

/** Made once: an abort without a reason makes a new exception each time. */
const GIVEN_UP = new Error("The call was given up.");
/** Milliseconds that a whole reply waits for its end marker and its usage. */
const TAIL_MS = 5000;
const LONGEST_REFUSAL = 64 * 1024;

/**
 * Makes one call and yields the parts of its reply. Ends early when the signal aborts; every other end is a `finish`
 * or an error, at the latest when a timeout is reached.
 *
 * @throws HostError `provider_*`
 */
export async function* streamCall(
  call: ModelCall,
  { clock, timeouts }: Pick<ModelServices, "clock" | "timeouts">,
  taker: PartTaker,
): AsyncGenerator<ModelPart, void> {
  const { reply, signal, identity } = call;
  const life = new AbortController();
  let timedOut: TimeoutKind | undefined;
  const monitor = new TimeoutMonitor(clock, limitsOf(call, timeouts), (why) => {
    timedOut = why;
    life.abort(GIVEN_UP);
  });
  const offer = (part: ModelPart): boolean => {
    const isTaken = taker.take?.(part) ?? false;
    call.hasParts ||= isTaken;
    return isTaken;
  };
  const stop = (): void => life.abort(GIVEN_UP);
  signal.addEventListener("abort", stop, { once: true });
  let rest: ByteSource | undefined;
  try {
    try {
      if (signal.aborted) return;
      const { source, reader } = await open(call, { monitor, clock, life: life.signal });
      while (!reader.isOver) {
        const parts = reader.take();
        if (parts === undefined) {
          await source.changed(() => reader.offerTo(offer));
        } else if (parts.length > 0) {
          call.hasParts = true;
          monitor.pause();
          for (const part of parts) yield part;
          monitor.resume();
        }
      }
      rest = source;
    } catch (thrown) {
      if (signal.aborted) return;
      // A reply that is whole stays one, whatever happens to the connection after it.
      if (reply.state === "open")
        throw timedOut === undefined ? thrown : stalledError(timedOut, timeouts, identity);
    }
    if (signal.aborted) return;
    for (const part of reply.end()) yield part;
  } catch (thrown) {
    const error = networkError(thrown, identity);
    call.over(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    monitor.stop();
    if (rest === undefined) life.abort(GIVEN_UP);
    else rest.drain(clock);
    call.over();
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

/**
 * Loads the parser of event streams with the first request, and not while the program starts.
 *
 * @throws HostError `internal`, which no other try mends: an installation that was replaced has it no more
 */
async function loadDecoder() {
  decoding ??= import("./body-decoder.ts");
  try {
    return await decoding;
  } catch (thrown) {
    decoding = undefined;
    throw toHostError(thrown);
  }
}

/** Sends the request, and opens the body of a good answer. @throws HostError `provider_*` for a refusal */
async function open(call: ModelCall, { monitor, clock, life }: Exchange) {
  const { reply, identity } = call;
  const loading = loadDecoder();
  // It may fail while the answer is waited for: that is heard behind it.
  loading.catch(() => undefined);
  const { status, header, body } = await call.send(life);
  monitor.bytes();
  const source = new ByteSource(body);
  if (status < 200 || status >= 300) {
    const text = new TextDecoder().decode(await source.readUpTo(LONGEST_REFUSAL));
    throw classifyRefusal({ status, header, body: text }, identity, clock.now());
  }
  const { BodyDecoder } = await loading;
  return {
    source,
    reader: new AnswerReader({ source, decoder: new BodyDecoder(), reply, identity, monitor }),
  };
}
