import { newSessionId } from "../../../core/index.ts";
import { KeyedQueue } from "../../../shared/async/keyed-queue.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HttpContext } from "../../server/context.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { readItems } from "../../turns/request-input.ts";
import { instructionsOf } from "../../turns/request-message.ts";
import { putSessionOfKey, sessionOfKey } from "../../turns/session-key.ts";
import {
  type PlannedTurn,
  type Prepare,
  readTurnRequest,
  startTurn,
  type TurnRequest,
} from "../../turns/start-turn.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import { endOfSession, newTurnRef } from "../../turns/turn-ref.ts";
import type {
  ConversationItem,
  ConversationStore,
  ConversationStores,
} from "../conversations/conversation-store.ts";
import { branchAfter, type Continuation, continueFrom } from "./continuation.ts";
import { encodeResponse } from "./encode.ts";
import { readGivenItems } from "./given-items.ts";
import type { ReasoningForm } from "./items.ts";
import { echoOf, readResponseRequest, type ResponseInput } from "./request.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { CountedNumbers, CursorNumbers } from "./sequence-numbers.ts";
import { ResponseStreamEncoder } from "./stream-encode.ts";
import { chooseToolItems } from "./tool-items.ts";

interface Beginning {
  readonly response: StoredResponse;
  readonly input: ResponseInput;
  readonly key: TurnRequest["key"];
  /** Items that a client added to the conversation since its newest response. */
  readonly added: readonly ConversationItem[];
  /** The response that the request names to continue from. */
  readonly previous: StoredResponse | undefined;
  readonly prepare: Prepare;
}

/** The starter of responses: finds where their conversations continue, and keeps them. */
export class ResponseStarter {
  readonly #api: ApiContext;
  readonly #responses: ResponseStore;
  readonly #conversations: ConversationStore;
  /** Responses of one conversation begin one after the other: its name stands for the newest one. */
  readonly #queue = new KeyedQueue();

  constructor(api: ApiContext, { responses, conversations }: ConversationStores) {
    this.#api = api;
    this.#responses = responses;
    this.#conversations = conversations;
  }

  /** Answers `POST /v1/responses`. */
  async create(c: HttpContext): Promise<Response> {
    const request = await readTurnRequest(c, this.#api, "completion");
    const given = await readGivenItems(request.body["input"], this.#responses);
    const input = readResponseRequest(request.body, given);
    const { receipt: response, headers: more } = await this.#start(c, request, input);
    const { ref, background } = response;
    const headers = { "x-agent-session-id": ref.sessionId, ...more };
    if (input.request.stream) {
      const numbers = background === true ? new CursorNumbers(ref.after) : new CountedNumbers();
      const encoder = new ResponseStreamEncoder(response, numbers);
      return streamTurn(c, this.#api, { ref, encoder, headers });
    }
    const answer =
      background === true
        ? await this.#responses.answerOf(response)
        : await this.#api.turns.answer(ref, c.req.raw.signal);
    return c.json(encodeResponse(response, answer), 200, headers);
  }

  #start(c: HttpContext, request: TurnRequest, input: ResponseInput) {
    const { body, key } = request;
    const { previousId, conversation } = input;
    return startTurn<StoredResponse>(c, this.#api, {
      route: "responses",
      request,
      model: input.request,
      fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
      warnings: input.given.dropped === 0 ? [] : [droppedWarning(input.given.dropped)],
      plan: async ({ shown }) => {
        const previous = previousId === undefined ? undefined : await this.#responses.previous(previousId);
        const toolItems = chooseToolItems(c, {
          setting: this.#api.settings.toolItems,
          tools: input.request.tools ?? [],
          ranShownCalls: input.given.dropped > 0,
        });
        const planned = this.#newResponse(input, shown, previous);
        const receipt: StoredResponse = toolItems === "function_call" ? planned : { ...planned, toolItems };
        const { repeats } = input.given;
        if (repeats !== undefined) return this.#repeat(receipt, repeats);
        const begin = (prepare: Prepare): Promise<StoredResponse> =>
          this.#begin({ response: receipt, input, key, previous, prepare, added: [] });
        return {
          receipt,
          begin: (prepare) =>
            conversation === undefined ? begin(prepare) : this.#queue.run(conversation, () => begin(prepare)),
        };
      },
    });
  }

  #newResponse(input: ResponseInput, model: string, previous: StoredResponse | undefined): StoredResponse {
    const { host } = this.#api;
    const { clock, hex } = host.services;
    const { request, previousId, conversation } = input;
    return {
      id: `resp_${hex(14)}`,
      created: Math.floor(clock.now() / 1000),
      model,
      stored: request.store,
      streamed: request.stream,
      ...(request.background ? { background: true } : {}),
      ...defined({ reasoning: this.#reasoningForm(input) }),
      ref: newTurnRef(host, { sessionId: newSessionId(clock.now(), hex), after: 0 }),
      ...defined({
        instructions: request.instructions ?? previous?.instructions,
        metadata: request.metadata ?? undefined,
        previousId,
        conversation,
      }),
      said: echoOf(request),
    };
  }

  /** Gives an answer once more, without a turn. */
  #repeat(planned: StoredResponse, { ref }: StoredResponse): PlannedTurn<StoredResponse> {
    const receipt: StoredResponse = { ...planned, ref, repeats: true };
    const { id, conversation } = receipt;
    return {
      receipt,
      begin: async () => {
        await this.#responses.add(receipt);
        if (conversation !== undefined) await this.#responses.putLatest(conversation, id);
        return receipt;
      },
    };
  }

  #reasoningForm({ request: { reasoning } }: ResponseInput): ReasoningForm | undefined {
    const asked = reasoning?.summary ?? reasoning?.generate_summary ?? "";
    if (asked !== "") return "summary";
    return this.#api.settings.reasoning ? "text" : undefined;
  }

  async #begin(beginning: Beginning): Promise<StoredResponse> {
    const { input, key } = beginning;
    const { host } = this.#api;
    const { conversation } = input;
    const latest = conversation === undefined ? undefined : await this.#responses.latest(conversation);
    const previous = beginning.previous ?? latest;
    const instructions = beginning.response.instructions ?? previous?.instructions;
    const made = conversation === undefined ? undefined : await this.#conversations.get(conversation);
    const added = made?.items ?? [];
    const named = { ...beginning, added, response: { ...beginning.response, ...defined({ instructions }) } };
    const response =
      previous === undefined || input.history !== undefined
        ? await this.#submit(named, await this.#placeOfKey(beginning), false)
        : await this.#continue(named, previous);
    if (!response.stored) return response;
    if (conversation !== undefined) {
      await this.#responses.putLatest(conversation, response.id);
      await this.#conversations.taken(conversation, added);
    }
    if (key !== undefined) await putSessionOfKey(host, key, response.ref.sessionId);
    return response;
  }

  /** Continues from a response; branches from it if another request continued from it first. */
  async #continue(beginning: Beginning, previous: StoredResponse): Promise<StoredResponse> {
    const { host } = this.#api;
    const hidden = !beginning.input.request.store;
    const place = await continueFrom(host, { responses: this.#responses, previous }, hidden);
    try {
      return await this.#submit(beginning, place, true);
    } catch (thrown) {
      if (place.onlyAfter === undefined || toHostError(thrown).code !== "session_busy") throw thrown;
      const { seq } = await this.#responses.answerOf(previous);
      return await this.#submit(beginning, await branchAfter(host, { previous, at: seq }, hidden), true);
    }
  }

  /** Gives the place that a session key names, when the request says nothing else about the conversation. */
  async #placeOfKey({ key, input }: Beginning): Promise<Continuation | undefined> {
    const { host } = this.#api;
    const isFree = input.history === undefined && input.conversation === undefined && input.request.store;
    const sessionId = key === undefined || !isFree ? undefined : await sessionOfKey(host, key);
    return sessionId === undefined ? undefined : await endOfSession(host, sessionId);
  }

  /**
   * Begins the turn, in a new session by default.
   *
   * @param chained - the place is the end of a response: its clients send only what is new
   */
  async #submit(
    { response: planned, input, prepare, added: items }: Beginning,
    place: Continuation | undefined,
    chained: boolean,
  ): Promise<StoredResponse> {
    const { onlyAfter, ...moved } = place ?? {};
    const response = place === undefined ? planned : { ...planned, ref: { ...planned.ref, ...moved } };
    const { id, stored, streamed, background, ref } = response;
    const { history, input: given } = input;
    // The session of a session key holds already what its clients repeat.
    const added = place === undefined || chained ? given.before : [];
    const waiting = history === undefined ? readItems(items, "items") : [];
    const plan = await prepare({
      ref,
      client: id,
      newSession: place !== undefined ? undefined : stored ? "listed" : "hidden",
      prompt: given.prompt,
      before: history ?? [...waiting, ...added],
      instructions: [
        response.instructions,
        instructionsOf([...(history ?? []), ...waiting, ...given.before]),
      ],
      onlyAfter,
      needsReader: streamed && background !== true,
    });
    await this.#api.turns.begin(plan, this.#responses.record(response));
    return response;
  }
}

const droppedWarning = (count: number): string =>
  `${count} function_call_output dropped: the calls ran on the server, which keeps their results`;
