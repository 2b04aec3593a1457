import type { ModelPart } from "../../../core/index.ts";
import { LARGEST_DOCUMENT, ResponseTooLarge } from "../errors/response-too-large.ts";

interface KeyedCall {
  readonly key: unknown;
  readonly id: string;
  readonly name: string;
  readonly pieces: string[];
  size: number;
}

const NAMELESS = "unknown_tool";

/** Puts calls together whose pieces say by a key which call they belong to. */
export class KeyedCalls {
  readonly #newId: () => string;
  readonly #calls: KeyedCall[] = [];

  /** @param newId - for calls that come without an id of their own, or with another's */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** The place of a call among the calls of the reply, or -1 when it has not begun. */
  placeOf(key: unknown): number {
    return this.#calls.findIndex((call) => call.key === key);
  }

  /** A call begins; one that has begun already goes on. */
  start(key: unknown, about: { readonly id: unknown; readonly name: unknown }): readonly ModelPart[] {
    if (this.placeOf(key) >= 0) return [];
    const wireId = typeof about.id === "string" ? about.id.trim() : "";
    const isUsable = wireId !== "" && !this.#calls.some(({ id }) => id === wireId);
    const id = isUsable ? wireId : this.#newId();
    const name = typeof about.name === "string" && about.name !== "" ? about.name : NAMELESS;
    this.#calls.push({ key, id, name, pieces: [], size: 0 });
    return [{ type: "call.start", id, name }];
  }

  /**
   * A piece of a call's arguments; nothing when no such call has begun.
   *
   * @throws TooLarge when arguments have more than `LARGEST_DOCUMENT` characters
   */
  add(key: unknown, text: unknown): readonly ModelPart[] {
    const call = this.#calls[this.placeOf(key)];
    if (call === undefined || typeof text !== "string" || text === "") return [];
    call.pieces.push(text);
    call.size += text.length;
    if (call.size > LARGEST_DOCUMENT) throw new ResponseTooLarge();
    return [{ type: "call.delta", id: call.id, text }];
  }

  /** The whole arguments of a call, for those of which no piece came. */
  whole(key: unknown, text: unknown): readonly ModelPart[] {
    const call = this.#calls[this.placeOf(key)];
    return call === undefined || call.size > 0 ? [] : this.add(key, text);
  }

  /** The ends of all calls, in their order. */
  end(): readonly ModelPart[] {
    return this.#calls.map(({ id, name, pieces }) => {
      const whole = pieces.join("");
      return { type: "call.end", id, name, arguments: whole.trim() === "" ? "{}" : whole };
    });
  }
}
