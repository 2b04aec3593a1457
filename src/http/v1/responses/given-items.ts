import { isJsonObject } from "../../../shared/json/json.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";
import { encodeResponse } from "./encode.ts";
import { type Item, responseOfItem } from "./items.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

/** The `input` of a request, in which every item stands for itself. */
export interface GivenItems {
  readonly input: unknown;
  /** Results that the client sent for calls that had run here. */
  readonly dropped: number;
  /** Nothing is left that could be answered: the request is a client's next step after calls that had run here. */
  readonly repeats?: StoredResponse;
}

/**
 * Reads the items of an input that belong to earlier responses: a reference becomes the item that it names, and a result
 * of a call that the client was only shown gives way to the stored one.
 *
 * @throws HttpError 404 for a reference to nothing, 400 when the response of the calls is gone
 */
export async function readGivenItems(input: unknown, responses: ResponseStore): Promise<GivenItems> {
  if (!Array.isArray(input) || !input.some(isOurs)) return { input, dropped: 0 };
  const reader = new GivenItemReader(responses);
  for (const entry of input) await reader.add(entry);
  return await reader.end();
}

/** The type of a reference may be left out. */
const isReference = (entry: unknown): entry is { readonly id: unknown } =>
  isJsonObject(entry) &&
  (entry["type"] === "item_reference" ||
    ((entry["type"] ?? entry["role"] ?? entry["content"]) === undefined &&
      responseOfItem(entry["id"]) !== undefined));

type CallOutput = Readonly<Record<string, unknown>> & { readonly call_id: string };

const isOutputOfShownCall = (entry: unknown): entry is CallOutput =>
  isJsonObject(entry) &&
  entry["type"] === "function_call_output" &&
  responseOfItem(entry["call_id"]) !== undefined;

/** Some clients send a shown call back without its result. */
const isCallWithoutResult = (entry: unknown): entry is { readonly id: unknown } =>
  isJsonObject(entry) && entry["type"] === "mcp_call" && (entry["output"] ?? entry["error"] ?? "") === "";

const isOurs = (entry: unknown): boolean =>
  isReference(entry) || isOutputOfShownCall(entry) || isCallWithoutResult(entry);

/** Responses that the items of one request may come from: each is read. */
const MOST_RESPONSES = 1000;

/** The output of an earlier response. */
interface Output {
  readonly byId: ReadonlyMap<string, Item>;
  /** The results of its calls, by `call_id`. */
  readonly results: ReadonlyMap<unknown, Item>;
}

const NO_OUTPUT: Output = { byId: new Map(), results: new Map() };

/** Something that a person says, or the client for him. */
const isQuestion = (entry: unknown): boolean => {
  if (!isJsonObject(entry)) return typeof entry === "string";
  const { type = "message", role = "user" } = entry;
  return type === "message" && role === "user";
};

class GivenItemReader {
  readonly #responses: ResponseStore;
  readonly #items: unknown[] = [];
  readonly #outputs = new Map<string, Output>();
  /** Calls that stand in the input. */
  readonly #calls = new Set<unknown>();
  /** References that stand in the input already: clients refer to one item twice. */
  readonly #referred = new Set<string>();
  /** Calls whose result stands in the input already. */
  readonly #answered = new Set<string>();
  #dropped = 0;
  /** The call of the newest dropped result, while nobody asked anything after it. */
  #pending: string | undefined;

  constructor(responses: ResponseStore) {
    this.#responses = responses;
  }

  async add(entry: unknown): Promise<void> {
    if (isReference(entry)) await this.#refer(entry.id);
    else if (isOutputOfShownCall(entry)) await this.#answer(entry);
    else if (isCallWithoutResult(entry)) this.#items.push((await this.#find(entry.id)) ?? entry);
    else {
      if (isQuestion(entry)) this.#pending = undefined;
      if (isJsonObject(entry) && entry["type"] === "function_call") this.#calls.add(entry["call_id"]);
      this.#items.push(entry);
    }
  }

  async end(): Promise<GivenItems> {
    const given = { input: this.#items, dropped: this.#dropped };
    const pending = responseOfItem(this.#pending);
    if (pending === undefined) return given;
    const repeats = await this.#responses.find(pending);
    if (repeats !== undefined) return { ...given, repeats };
    throw badRequest(
      `The call ${this.#pending} ran on the server, and its response is not there any more. Send a message of the user.`,
      "input",
    );
  }

  async #refer(id: unknown): Promise<void> {
    const name = String(id);
    if (this.#referred.has(name)) return;
    this.#referred.add(name);
    const item = await this.#find(id);
    if (item === undefined)
      throw new HttpError(404, `Item with id '${name.slice(0, 100)}' not found.`, { param: "input" });
    if (item.type === "function_call") this.#calls.add(item["call_id"]);
    this.#items.push(item);
  }

  async #find(id: unknown): Promise<Item | undefined> {
    const response = responseOfItem(id);
    return response === undefined ? undefined : (await this.#outputOf(response)).byId.get(String(id));
  }

  /** Keeps a result that was told here; any other gives way to it. */
  async #answer(entry: CallOutput): Promise<void> {
    const { call_id: callId } = entry;
    const response = responseOfItem(callId);
    const { results } = response === undefined ? NO_OUTPUT : await this.#outputOf(response);
    const stored = results.get(callId);
    const isEcho = stored !== undefined && stored.id === entry["id"];
    if (!isEcho) {
      this.#dropped += 1;
      this.#pending = callId;
    }
    if (stored === undefined || !this.#calls.has(callId) || this.#answered.has(callId)) return;
    this.#answered.add(callId);
    this.#items.push(stored);
  }

  async #outputOf(id: string): Promise<Output> {
    const known = this.#outputs.get(id);
    if (known !== undefined) return known;
    if (this.#outputs.size >= MOST_RESPONSES)
      throw badRequest(
        `The items of one request may come from ${MOST_RESPONSES} responses at most.`,
        "input",
      );
    const output = await this.#readOutput(id);
    this.#outputs.set(id, output);
    return output;
  }

  async #readOutput(id: string): Promise<Output> {
    const response = await this.#responses.find(id);
    if (response === undefined) return NO_OUTPUT;
    const { output } = encodeResponse(response, await this.#responses.answerOf(response));
    const results = output.filter(({ type }) => type === "function_call_output");
    return {
      byId: new Map(output.map((item) => [item.id, item])),
      results: new Map(results.map((item) => [item["call_id"], item])),
    };
  }
}
