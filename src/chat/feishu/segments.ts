import { type FeishuFrame, headerOf } from "./frame.ts";

/** Payloads that are put together at the same time; the oldest one gives way. */
const MOST_OPEN = 50;
const MOST_SEGMENTS = 200;

/** Payloads that come in several frames, put together again: `sum` of them, each with its place `seq`. */
export class Segments {
  readonly #open = new Map<string, (Uint8Array | undefined)[]>();

  /** The payload that is whole with this frame; `undefined` while some of it is missing. */
  add(frame: FeishuFrame): Uint8Array | undefined {
    const sum = Number(headerOf(frame, "sum"));
    if (!(sum > 1)) return frame.payload;
    const id = headerOf(frame, "message_id");
    const seq = Number(headerOf(frame, "seq"));
    if (!Number.isInteger(sum) || sum > MOST_SEGMENTS || !Number.isInteger(seq) || seq < 0 || seq >= sum)
      return undefined;
    const known = this.#open.get(id);
    const parts = known?.length === sum ? known : Array.from<Uint8Array | undefined>({ length: sum });
    parts[seq] = frame.payload;
    this.#open.delete(id);
    const there = parts.filter((part) => part !== undefined);
    if (there.length === sum) return Buffer.concat(there);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(id, parts);
    return undefined;
  }
}
