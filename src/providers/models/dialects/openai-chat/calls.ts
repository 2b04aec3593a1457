import { isJsonObject } from "../../../../shared/json/json.ts";
import type { ModelPart } from "../../../../core/index.ts";
import { addPiece, callEnd, callId, NAMELESS, type OpenCall } from "../../reply/keyed-calls.ts";

/** A call whose name may come late. */
interface ChatCall extends OpenCall {
  /** As the endpoint gave them; either may be missing. */
  readonly index: unknown;
  readonly wireId: string;
  name: string;
  /** Data that the endpoint wants back with the call. */
  extra: unknown;
}

/**
 * Assembler of calls from the pieces of a stream. Endpoints agree on little: the index may be missing or the same for
 * all, the id missing, empty, or repeated with each piece, the name repeated; arguments come as text or as an object.
 */
export class CallAssembler {
  readonly #newId: () => string;
  readonly #calls: ChatCall[] = [];
  #parts: ModelPart[] = [];

  /** @param newId - for calls that come without an id of their own */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** The data to send back with each call, in the order of the calls. */
  get extras(): readonly unknown[] {
    return this.#calls.map(({ extra }) => extra);
  }

  /** Takes one piece of a call: `{index?, id?, function: {name?, arguments?}}`. @throws ResponseTooLarge */
  accept(piece: unknown): void {
    if (!isJsonObject(piece)) return;
    const { index, id, extra_content: extra } = piece;
    const { name, arguments: text } = functionOf(piece);
    const wireId = typeof id === "string" ? id.trim() : "";
    const call = this.#find({ index, wireId, name, text }) ?? this.#open(index, wireId);
    if (extra !== undefined && extra !== null) call.extra = extra;
    if (call.name === "" && name !== "") {
      call.name = name;
      this.#parts.push({ type: "call.start", id: call.id, name });
      for (const early of call.pieces) this.#parts.push({ type: "call.delta", id: call.id, text: early });
    }
    if (text !== "") this.#add(call, text);
  }

  take(): readonly ModelPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  end(): readonly ModelPart[] {
    return this.#calls.flatMap((call): readonly ModelPart[] => {
      const end = callEnd(call);
      return call.name === "" ? [{ type: "call.start", id: call.id, name: NAMELESS }, end] : [end];
    });
  }

  /** The call that a piece belongs to, if it is not the first of a new one. */
  #find(piece: { index: unknown; wireId: string; name: string; text: string }): ChatCall | undefined {
    const { index, wireId, name, text } = piece;
    const hasIndex = index !== undefined && index !== null;
    const sameIndex = hasIndex ? this.#calls.findLast((call) => call.index === index) : undefined;
    if (wireId !== "") {
      if (sameIndex !== undefined)
        return sameIndex.wireId === wireId || sameIndex.wireId === "" ? sameIndex : undefined;
      return hasIndex ? undefined : this.#calls.findLast((call) => call.wireId === wireId);
    }
    const call = sameIndex ?? (hasIndex ? undefined : this.#calls.at(-1));
    // Whole calls one after the other, told apart by nothing else.
    const isNext =
      call !== undefined && name !== "" && call.name !== "" && text !== "" && isWhole(call.pieces);
    return isNext ? undefined : call;
  }

  #open(index: unknown, wireId: string): ChatCall {
    const id = callId(wireId, this.#calls, this.#newId);
    const call: ChatCall = { id, index, wireId, name: "", pieces: [], size: 0, extra: undefined };
    this.#calls.push(call);
    return call;
  }

  #add(call: ChatCall, text: string): void {
    addPiece(call, text);
    if (call.name === "") return;
    const last = this.#parts.at(-1);
    if (last?.type === "call.delta" && last.id === call.id) {
      this.#parts[this.#parts.length - 1] = { ...last, text: last.text + text };
    } else this.#parts.push({ type: "call.delta", id: call.id, text });
  }
}

function functionOf(piece: Record<string, unknown>): { readonly name: string; readonly arguments: string } {
  const body = isJsonObject(piece["function"]) ? piece["function"] : {};
  const { name, arguments: given } = body;
  return {
    name: typeof name === "string" ? name : "",
    arguments: typeof given === "string" ? given : isJsonObject(given) ? JSON.stringify(given) : "",
  };
}

function isWhole(pieces: readonly string[]): boolean {
  if (pieces.length === 0) return false;
  try {
    return isJsonObject(JSON.parse(pieces.join("")));
  } catch {
    // More pieces of it have to come.
    return false;
  }
}
