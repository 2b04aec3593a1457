import type { Clock, RandomHex, Records } from "../../core/index.ts";
import { RecordSpace, type ValuePage } from "../work/record-space.ts";
import { RateLimit } from "./rate-limit.ts";

/** The fate of a call at the door. */
export type CallFate = "accepted" | "duplicate" | "ignored" | "refused";

/** A call as it came in. */
export interface ReceivedCall {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** As the caller named it, also when there is no such route. */
  readonly route: string;
  readonly fate: CallFate;
  /** Why it was refused. */
  readonly reason?: string;
  readonly event?: string;
  /** The key of the call that was accepted, in this or an earlier request. */
  readonly callKey?: string;
  /** The beginning of the body, of calls whose sender proved who they are. */
  readonly body?: string;
  /** The body was longer. */
  readonly isCut?: true;
}

/** The parts of a log of calls. */
export interface ReceivedCallsParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly hex: RandomHex;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

const SPACE = "webhook.received";
const KEPT_MS = 7 * 24 * 3_600_000;
const KEPT = 1000;
const TRIMMED_EVERY = 50;
/** Bytes of one body: with `KEPT`, those of all. */
const KEPT_BYTES = 16 * 1024;
const LONGEST_ROUTE = 100;
/** Of refused calls in a minute; who floods the door does not fill the disk. */
const MOST_REFUSED = 30;

/** The log of the newest calls, whatever became of them: at most a thousand of a week, with 16 kB of each body. */
export class ReceivedCalls {
  readonly #parts: ReceivedCallsParts;
  readonly #space: RecordSpace<ReceivedCall>;
  readonly #refused: RateLimit;
  #added = 0;

  constructor(parts: ReceivedCallsParts) {
    this.#parts = parts;
    this.#refused = new RateLimit(parts.clock, MOST_REFUSED);
    this.#space = new RecordSpace<ReceivedCall>(parts.records, {
      space: SPACE,
      name: "Received call",
      encode: (call) => ({
        space: SPACE,
        key: call.id,
        parent: call.route,
        value: JSON.stringify(call),
        expiresAt: call.at + KEPT_MS,
      }),
    });
  }

  /** Notes a call whose sender proved who they are. */
  async note(call: Omit<ReceivedCall, "id" | "at" | "body" | "isCut">, body: Uint8Array): Promise<void> {
    const text = Buffer.from(body.subarray(0, KEPT_BYTES)).toString("utf8");
    const cut = body.byteLength > KEPT_BYTES ? { isCut: true as const } : {};
    await this.#add({ ...call, body: this.#parts.redact(text), ...cut });
  }

  /** Notes a call that was refused, unless too many were; nothing that a stranger sent is kept but the route's name. */
  async noteRefused(route: string, reason: string): Promise<void> {
    if (this.#refused.take("") > 0) return;
    await this.#add({ route: route.slice(0, LONGEST_ROUTE).toWellFormed(), fate: "refused", reason });
  }

  get(id: string): Promise<ReceivedCall | undefined> {
    return this.#space.get(id);
  }

  /** The newest first. @param page - its `after` is the `next` of the page before */
  page(
    page: { readonly after?: number; readonly limit: number },
    isWanted?: (call: ReceivedCall) => boolean,
  ): Promise<ValuePage<ReceivedCall>> {
    return this.#space.page({ ...page, newestFirst: true }, isWanted);
  }

  async #add(call: Omit<ReceivedCall, "id" | "at">): Promise<void> {
    const { records, clock, hex } = this.#parts;
    await this.#space.add({ ...call, id: `call_${hex(8)}`, at: clock.now() });
    this.#added += 1;
    if (this.#added % TRIMMED_EVERY === 0) await records.trim(SPACE, KEPT);
  }
}
