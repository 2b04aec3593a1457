import { type Host, newSessionId } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HttpContext } from "../../server/context.ts";
import { readItems } from "../../turns/request-input.ts";
import { instructionsOf } from "../../turns/request-message.ts";
import { sessionHeader } from "../../turns/session-header.ts";
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
import type { ConversationItem, ConversationsContext } from "../conversations/conversation-store.ts";
import { branchAfter, type Continuation, continueFrom } from "./continuation.ts";
import { encodeResponse } from "./encode.ts";
import { readGivenItems } from "./given-items.ts";
import { echoOf, readResponseRequest, type ResponseInput } from "./request.ts";
import type { StoredResponse } from "./response-store.ts";
import { CountedNumbers, CursorNumbers } from "./sequence-numbers.ts";
import { ResponseStreamEncoder } from "./stream-encode.ts";
import { chooseToolItems } from "./tool-items.ts";

interface Beginning {
  readonly response: StoredResponse;
  readonly input: ResponseInput;
  readonly key: TurnRequest["key"];
  /** Items that a client added to the conversation since its newest response. */
  readonly added: readonly ConversationItem[];
  /** The response to continue from. */
  readonly previous: StoredResponse | undefined;
  readonly prepare: Prepare;
}

/** Answers `POST /v1/responses`: finds where the conversation continues, begins the response there, and keeps it. */
export async function createResponse(c: HttpContext, api: ConversationsContext): Promise<Response> {
  const { responses, turns } = api;
  const request = await readTurnRequest(c, api, "completion");
  const given = await readGivenItems(request.body["input"], responses);
  const input = readResponseRequest(request.body, given);
  const { receipt: response, headers: more } = await start(c, api, { request, input });
  const { ref, background } = response;
  const headers = { ...sessionHeader(ref.sessionId), ...more };
  if (input.request.stream) {
    const numbers = background === true ? new CursorNumbers(ref.after) : new CountedNumbers();
    const encoder = new ResponseStreamEncoder(response, numbers);
    return streamTurn(c, api, { ref, encoder, headers });
  }
  const answer =
    background === true ? await responses.answerOf(response) : await turns.answer(ref, c.req.raw.signal);
  return c.json(encodeResponse(response, answer), 200, headers);
}

function start(
  c: HttpContext,
  api: ConversationsContext,
  { request, input }: { readonly request: TurnRequest; readonly input: ResponseInput },
) {
  const { body, key } = request;
  const { previousId, given } = input;
  return startTurn<StoredResponse>(c, api, {
    route: "responses",
    request,
    model: input.request,
    fingerprint: [body, key?.raw, c.req.header("x-agent-model")],
    warnings: given.dropped === 0 ? [] : [droppedWarning(given.dropped)],
    plan: async ({ shown }) => {
      const previous = previousId === undefined ? undefined : await api.responses.previous(previousId);
      const toolItems = chooseToolItems(c, {
        setting: api.settings.toolItems,
        tools: input.request.tools ?? [],
        ranShownCalls: given.dropped > 0,
      });
      const planned = newResponse(api, input, { model: shown, previous });
      const receipt: StoredResponse = toolItems === "function_call" ? planned : { ...planned, toolItems };
      const { signal } = c.req.raw;
      if (given.repeats !== undefined) return repeat(api, { receipt, of: given.repeats, signal });
      return {
        receipt,
        begin: (prepare) =>
          inConversation(api, { response: receipt, signal }, (latest) =>
            beginResponse(api, {
              response: receipt,
              input,
              key,
              previous: previous ?? latest,
              prepare,
              added: [],
            }),
          ),
      };
    },
  });
}

function newResponse(
  { host, settings }: ConversationsContext,
  { request, previousId, conversation }: ResponseInput,
  { model, previous }: { readonly model: string; readonly previous: StoredResponse | undefined },
): StoredResponse {
  const { clock, hex } = host.services;
  const summary = request.reasoning?.summary ?? request.reasoning?.generate_summary ?? "";
  return {
    id: `resp_${hex(14)}`,
    created: Math.floor(clock.now() / 1000),
    model,
    stored: request.store,
    streamed: request.stream,
    ...(request.background ? { background: true } : {}),
    ...defined({ reasoning: summary !== "" ? "summary" : settings.reasoning ? "text" : undefined } as const),
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

interface RepeatedResponse {
  readonly receipt: StoredResponse;
  readonly of: StoredResponse;
  readonly signal: AbortSignal;
}

/** Gives an answer once more, without a turn. */
function repeat(
  api: ConversationsContext,
  { receipt: planned, of: { ref }, signal }: RepeatedResponse,
): PlannedTurn<StoredResponse> {
  const receipt: StoredResponse = { ...planned, ref, repeats: true };
  return {
    receipt,
    begin: () =>
      inConversation(api, { response: receipt, signal }, async () => {
        await api.responses.add(receipt);
        return receipt;
      }),
  };
}

/**
 * Begins a response where no other one is just beginning in its conversation, at whatever host: the conversation goes on from it.
 *
 * @param begin - is given the newest response of the conversation
 */
async function inConversation(
  { conversations, responses, host }: ConversationsContext,
  {
    response: { conversation, stored },
    signal,
  }: { readonly response: StoredResponse; readonly signal: AbortSignal },
  begin: (latest: StoredResponse | undefined) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  if (conversation === undefined) return await begin(undefined);
  return await conversations.queue.run(conversation, async () => {
    if (!stored) return await begin(await responses.latest(conversation));
    const { names } = responses;
    const claimed = await names.claim(conversation, signal);
    try {
      const { response } = claimed;
      const begun = await begin(response === undefined ? undefined : await responses.use(response));
      await names.put(claimed, begun.id);
      return begun;
    } catch (thrown) {
      await names.release(claimed).catch((error: unknown) => host.services.report(toHostError(error)));
      throw thrown;
    }
  });
}

async function beginResponse(api: ConversationsContext, beginning: Beginning): Promise<StoredResponse> {
  const { input, key, previous } = beginning;
  const { host, conversations } = api;
  const { conversation } = input;
  const instructions = beginning.response.instructions ?? previous?.instructions;
  const made = conversation === undefined ? undefined : await conversations.get(conversation);
  const added = made?.items ?? [];
  const named = { ...beginning, added, response: { ...beginning.response, ...defined({ instructions }) } };
  const response =
    previous === undefined || input.history !== undefined
      ? await submit(api, named, { place: await placeOfKey(host, beginning), chained: false })
      : await continueAfter(api, named, previous);
  if (!response.stored) return response;
  if (conversation !== undefined) await conversations.taken(conversation, added);
  if (key !== undefined) await putSessionOfKey(host, key, response.ref.sessionId);
  return response;
}

/** Continues from a response; branches from it if another request continued from it first. */
async function continueAfter(
  api: ConversationsContext,
  beginning: Beginning,
  previous: StoredResponse,
): Promise<StoredResponse> {
  const { host, responses } = api;
  const hidden = !beginning.input.request.store;
  const place = await continueFrom(host, { responses, previous }, hidden);
  try {
    return await submit(api, beginning, { place, chained: true });
  } catch (thrown) {
    if (place.onlyAfter === undefined || toHostError(thrown).code !== "session_busy") throw thrown;
    const { seq } = await responses.answerOf(previous);
    const branch = await branchAfter(host, { previous, at: seq }, hidden);
    return await submit(api, beginning, { place: branch, chained: true });
  }
}

/** Gives the place that a session key names, when the request says nothing else about the conversation. */
async function placeOfKey(host: Host, { key, input }: Beginning): Promise<Continuation | undefined> {
  const isFree = input.history === undefined && input.conversation === undefined && input.request.store;
  const sessionId = key === undefined || !isFree ? undefined : await sessionOfKey(host, key);
  return sessionId === undefined ? undefined : await endOfSession(host, sessionId);
}

interface Place {
  /** A new session by default. */
  readonly place: Continuation | undefined;
  /** It is the end of a response: its clients send only what is new. */
  readonly chained: boolean;
}

/** Begins the turn. */
async function submit(
  { turns, responses }: ConversationsContext,
  { response: planned, input, prepare, added: items }: Beginning,
  { place, chained }: Place,
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
    instructions: [response.instructions, instructionsOf([...(history ?? []), ...waiting, ...given.before])],
    onlyAfter,
    needsReader: streamed && background !== true,
  });
  await turns.begin(plan, responses.record(response));
  return response;
}

const droppedWarning = (count: number): string =>
  `${count} function_call_output dropped: the calls ran on the server, which keeps their results`;
