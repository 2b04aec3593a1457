import { switchOf } from "../../server/decode.ts";
import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest, type HttpError } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { streamTurn } from "../../turns/stream-turn.ts";
import type { ConversationStores } from "../conversations/conversation-store.ts";
import { inputTokensRoute } from "./input-tokens.ts";
import { ResponseStarter } from "./create.ts";
import { encodeResponse } from "./encode.ts";
import { listInputItems } from "./input-items.ts";
import { ITEM_PAGE_QUERY } from "./item-page.ts";
import { ResponseRequest } from "./request.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { CursorNumbers } from "./sequence-numbers.ts";
import { ResponseStreamEncoder } from "./stream-encode.ts";

const ONE = "/v1/responses/{response_id}";

/** Declares the routes of the responses API. */
export function responseRoutes(api: ApiContext, stores: ConversationStores): readonly ApiRoute[] {
  const { responses } = stores;
  const starter = new ResponseStarter(api, stores);
  return [
    route("POST /v1/responses", (c) => starter.create(c), {
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
      async (c, id) => {
        const response = await responses.get(id);
        const again = switchOf(c.req.query("stream"), false);
        if (again) return await streamAgain(c, api, { responses, response });
        return c.json(encodeResponse(response, await responses.answerOf(response)));
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
      async (c, id) => {
        await remove(responses, id);
        return c.json({ id, object: "response", deleted: true });
      },
      { id: "deleteResponse", summary: "Delete a stored response", endpoint: "response_delete" },
    ),
    inputTokensRoute(api, stores),
    ...storedRoutes(api, responses),
  ];
}

const storedRoutes = (api: ApiContext, responses: ResponseStore): readonly ApiRoute[] => [
  route(
    `POST ${ONE}/cancel`,
    async (c, id) => {
      const response = await responses.get(id);
      if (response.background !== true) throw notInBackground("cancelled");
      await stop(responses, response);
      return c.json(encodeResponse(response, await api.turns.answer(response.ref, c.req.raw.signal)));
    },
    {
      id: "cancelResponse",
      summary: "Stop a response that was made in the background",
      endpoint: "response_cancel",
    },
  ),
  route(
    `GET ${ONE}/input_items`,
    (c, id) => listInputItems(c, { responses, store: api.host.services.store }, id),
    {
      id: "listInputItems",
      summary: "What a response was asked, in pages",
      endpoint: "response_input_items",
      query: ITEM_PAGE_QUERY,
    },
  ),
];

async function remove(responses: ResponseStore, id: string): Promise<void> {
  const response = await responses.get(id);
  await responses.delete(response);
  // Nobody could read it any more, or stop it.
  if (response.background === true) await stop(responses, response);
}

/** Stops a response wherever it is; nothing happens when it is over. */
async function stop(responses: ResponseStore, response: StoredResponse): Promise<void> {
  const session = await responses.sessionOf(response);
  await session.stop(response.ref.promptId, { surface: "api", client: response.id });
}

/** Streams a response that was begun before, from any of its frames. */
async function streamAgain(
  c: HttpContext,
  api: ApiContext,
  { responses, response }: { readonly responses: ResponseStore; readonly response: StoredResponse },
): Promise<Response> {
  if (response.background !== true) throw notInBackground("streamed again");
  const given = c.req.query("starting_after");
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw badRequest(
      "'starting_after' must be the sequence_number of an event that was received.",
      "starting_after",
    );
  // If its process has died, this notices it.
  await responses.sessionOf(response);
  const { ref } = response;
  const numbers = new CursorNumbers(ref.after, given === undefined ? -1 : Number(given));
  const encoder = new ResponseStreamEncoder(response, numbers);
  return streamTurn(c, api, { ref, encoder, headers: { "x-agent-session-id": ref.sessionId } });
}

const notInBackground = (what: string): HttpError =>
  badRequest(`Only a response that was made with 'background': true can be ${what}.`, "response_id");
