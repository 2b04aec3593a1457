import { switchOf } from "../../server/decode.ts";
import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest, type HttpError } from "../../server/http-error.ts";
import { sessionHeader } from "../../turns/session-header.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import type { ConversationsContext } from "../conversations/conversation-store.ts";
import { countInputTokens } from "./input-tokens.ts";
import { createResponse } from "./create.ts";
import { encodeResponse } from "./encode.ts";
import { listInputItems } from "./input-items.ts";
import { ITEM_PAGE_QUERY } from "./item-page.ts";
import { ResponseRequest } from "./request.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { CursorNumbers } from "./sequence-numbers.ts";
import { ResponseStreamEncoder } from "./stream-encode.ts";

const ONE = "/v1/responses/{response_id}";

/** The routes of the responses API. */
export const RESPONSE_ROUTES: readonly ApiRoute<ConversationsContext>[] = [
  route("POST /v1/responses", createResponse, {
    id: "createResponse",
    summary: "Respond to input",
    endpoint: "responses",
    body: ResponseRequest,
    stream: "asked",
    starts: true,
    headers: ["X-Agent-Tool-Items"],
  }),
  route(
    `GET ${ONE}`,
    async (c, api, id) => {
      const response = await api.responses.get(id);
      if (switchOf(c.req.query("stream"), false)) return await streamAgain(c, api, response);
      return c.json(encodeResponse(response, await api.responses.answerOf(response)));
    },
    {
      id: "getResponse",
      summary: "A stored response; one made in the background can be streamed again from any event",
      endpoint: "response",
      stream: "asked",
      query: ["stream", "starting_after"],
    },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, { responses }, id) => {
      const response = await responses.get(id);
      await responses.delete(response);
      // Nobody could read it any more, or stop it.
      if (response.background === true) await stop(responses, response);
      return c.json({ id, object: "response", deleted: true });
    },
    { id: "deleteResponse", summary: "Delete a stored response", endpoint: "response_delete" },
  ),
  route("POST /v1/responses/input_tokens", countInputTokens, {
    id: "countInputTokens",
    summary: "An estimate of the tokens of a request, with the conversation that it continues",
    endpoint: "response_input_tokens",
    body: ResponseRequest,
  }),
  route(
    `POST ${ONE}/cancel`,
    async (c, { responses, turns }, id) => {
      const response = await responses.get(id);
      if (response.background !== true) throw notInBackground("cancelled");
      await stop(responses, response);
      return c.json(encodeResponse(response, await turns.answer(response.ref, c.req.raw.signal)));
    },
    {
      id: "cancelResponse",
      summary: "Stop a response that was made in the background",
      endpoint: "response_cancel",
    },
  ),
  route(`GET ${ONE}/input_items`, listInputItems, {
    id: "listInputItems",
    summary: "What a response was asked, in pages",
    endpoint: "response_input_items",
    query: ITEM_PAGE_QUERY,
  }),
];

/** Stops a response wherever it is; nothing happens when it is over. */
async function stop(responses: ResponseStore, response: StoredResponse): Promise<void> {
  const session = await responses.sessionOf(response);
  await session.stop(response.ref.promptId, { surface: "api", client: response.id });
}

/** Streams a response that was begun before, from any of its frames. */
async function streamAgain(
  c: HttpContext,
  api: ConversationsContext,
  response: StoredResponse,
): Promise<Response> {
  if (response.background !== true) throw notInBackground("streamed again");
  const given = c.req.query("starting_after");
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw badRequest(
      "'starting_after' must be the sequence_number of an event that was received.",
      "starting_after",
    );
  // If its process has died, this notices it.
  await api.responses.sessionOf(response);
  const { ref } = response;
  const numbers = new CursorNumbers(ref.after, given === undefined ? -1 : Number(given));
  const encoder = new ResponseStreamEncoder(response, numbers);
  return streamTurn(c, api, { ref, encoder, headers: sessionHeader(ref.sessionId) });
}

const notInBackground = (what: string): HttpError =>
  badRequest(`Only a response that was made with 'background': true can be ${what}.`, "response_id");
