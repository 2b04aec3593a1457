import { HostError } from "../../../shared/errors/host-error.ts";
import type { ModelPart } from "../../../core/index.ts";
import type { ByteSource } from "../endpoint/byte-source.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import { ResponseTooLarge } from "../errors/response-too-large.ts";
import type { ReplyDecoder } from "../reply/reply-decoder.ts";
import type { BodyDecoder, BodyPiece } from "./body-decoder.ts";
import type { TimeoutMonitor } from "./timeout-monitor.ts";

/** Bytes without a part of a reply: after these the endpoint is something else than a model. */
const LARGEST_SILENCE = 64 * 2 ** 20;

interface Answer {
  readonly source: ByteSource;
  readonly decoder: BodyDecoder;
  readonly reply: ReplyDecoder;
  readonly identity: ModelIdentity;
  readonly monitor: TimeoutMonitor;
}

/** Reader of a good answer, from its bytes to the parts of its reply. */
export class AnswerReader {
  readonly #answer: Answer;
  #silent = 0;
  #failure: { readonly thrown: unknown } | undefined;
  #isRead = false;
  /** Parts that were offered and not taken. */
  #left: readonly ModelPart[] = [];

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** The reply is done, or the body over. */
  get isOver(): boolean {
    if (this.#failure !== undefined || this.#left.length > 0) return false;
    return this.#isRead || this.#answer.reply.state === "done";
  }

  /** Offers the parts in what has just come. `false`: something is left to `take`, or there is nothing more. It never throws. */
  offerTo(take: (part: ModelPart) => boolean): boolean {
    try {
      const parts = this.#read() ?? [];
      const refused = parts.findIndex((part) => !take(part));
      if (refused >= 0) this.#left = parts.slice(refused);
      // Only now: to look at the clock takes longer than to decode a word.
      this.#note(parts);
      return refused < 0 && this.#failure === undefined && !this.isOver;
    } catch (thrown) {
      this.#failure ??= { thrown };
      return false;
    }
  }

  /**
   * The parts in what has come since the last time; `undefined` when nothing has.
   *
   * @throws the connection's error, and what broke the reply, after the parts before it
   */
  take(): readonly ModelPart[] | undefined {
    if (this.#left.length > 0) return this.#takeLeft();
    const parts = this.#read();
    if (parts !== undefined) this.#note(parts);
    return parts;
  }

  #read(): readonly ModelPart[] | undefined {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    const { source, reply } = this.#answer;
    const bytes = source.take();
    if (bytes === undefined && !source.isOver) return undefined;
    this.#isRead = bytes === undefined;
    this.#failure = this.#decode(bytes);
    const parts = reply.take();
    this.#silent = parts.length > 0 ? 0 : this.#silent + (bytes?.length ?? 0);
    if (parts.length === 0 && this.#failure !== undefined) throw this.#failure.thrown;
    if (this.#silent > LARGEST_SILENCE) throw new ResponseTooLarge();
    return parts;
  }

  #note(parts: readonly ModelPart[]): void {
    const { reply, monitor } = this.#answer;
    if (parts.length > 0) monitor.progress();
    else monitor.bytes();
    if (reply.state === "finishing" && !this.#isRead) monitor.finishing();
  }

  #takeLeft(): readonly ModelPart[] {
    const left = this.#left;
    this.#left = [];
    return left;
  }

  /** Hands bytes, or the end of the body, to the reply. It returns a failure, so that the parts before it are not lost. */
  #decode(bytes: Uint8Array | undefined): { readonly thrown: unknown } | undefined {
    const { decoder, reply } = this.#answer;
    try {
      for (const piece of bytes === undefined ? decoder.end() : decoder.push(bytes)) {
        if (reply.state === "done") return undefined;
        this.#give(piece);
      }
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  #give(piece: BodyPiece): void {
    const { reply, identity } = this.#answer;
    if (piece.type === "event") reply.event(piece.event.name, piece.event.data);
    else reply.document(parseDocument(piece.text, identity));
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
