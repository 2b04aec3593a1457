import type { ModelPart } from "../../../core/index.ts";
import { LARGEST_DOCUMENT, ResponseTooLarge } from "../errors/response-too-large.ts";

/** A call that is being put together. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** Of its arguments. */
  readonly pieces: string[];
  size: number;
}

/** The name of a call that comes without one. */
export const NAMELESS = "unknown_tool";

/** Gives a call its own id, or a new one when it has none, or another's. */
export function callId(given: unknown, others: readonly OpenCall[], newId: () => string): string {
  const id = typeof given === "string" ? given.trim() : "";
  return id === "" || others.some((call) => call.id === id) ? newId() : id;
}

/** Adds a piece to a call's arguments. @throws ResponseTooLarge beyond `LARGEST_DOCUMENT` characters */
export function addPiece(call: OpenCall, text: string): void {
  call.pieces.push(text);
  call.size += text.length;
  if (call.size > LARGEST_DOCUMENT) throw new ResponseTooLarge();
}

/** The end of a call; without arguments they are an empty object. */
export function callEnd({ id, name, pieces }: OpenCall): ModelPart {
  const whole = pieces.join("");
  return { type: "call.end", id, name: name || NAMELESS, arguments: whole.trim() === "" ? "{}" : whole };
}

/** Puts calls together whose pieces say by a key which call they belong to. */
export class KeyedCalls {
  readonly #newId: () => string;
  readonly #calls: (OpenCall & { readonly key: unknown })[] = [];

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
    const id = callId(about.id, this.#calls, this.#newId);
    const name = typeof about.name === "string" && about.name !== "" ? about.name : NAMELESS;
    this.#calls.push({ key, id, name, pieces: [], size: 0 });
    return [{ type: "call.start", id, name }];
  }

  /** A piece of a call's arguments; nothing when no such call has begun. @throws ResponseTooLarge */
  add(key: unknown, text: unknown): readonly ModelPart[] {
    const call = this.#calls[this.placeOf(key)];
    if (call === undefined || typeof text !== "string" || text === "") return [];
    addPiece(call, text);
    return [{ type: "call.delta", id: call.id, text }];
  }

  /** The whole arguments of a call, for those of which no piece came. */
  whole(key: unknown, text: unknown): readonly ModelPart[] {
    const call = this.#calls[this.placeOf(key)];
    return call === undefined || call.size > 0 ? [] : this.add(key, text);
  }

  end(): readonly ModelPart[] {
    return this.#calls.map(callEnd);
  }
}
