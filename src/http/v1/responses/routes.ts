import type { HttpApp, HttpContext } from "../../server/context.ts";
import { switchOf } from "../../server/decode.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { HttpError } from "../../server/http-error.ts";
import { clientToolsWarning, ignoredWarning, warningHeader } from "../../turns/request-warnings.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { readSessionKey } from "../../turns/session-key.ts";
import { ResponseStarter } from "./create.ts";
import { encodeResponse } from "./encode.ts";
import { listInputItems } from "./input-items.ts";
import { CursorNumbers } from "./sequence-numbers.ts";
import { readResponseRequest } from "./request.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { ResponseStreamEncoder } from "./stream-encode.ts";

export function responseRoutes(app: HttpApp, api: ApiContext, responses: ResponseStore): void {
  const starter = new ResponseStarter(api, responses);
  const { store } = api.host.services;
  app.post("/v1/responses", async (c) => await create(c, api, { starter, responses }));

  app.get("/v1/responses/:response", async (c) => {
    const response = await responses.get(c.req.param("response"));
    if (switchOf(c.req.query("stream"), false)) return await streamAgain(c, api, { responses, response });
    return c.json(encodeResponse(response, await responses.answerOf(response)));
  });

  app.get("/v1/responses/:response/input_items", (c) =>
    listInputItems(c, { responses, store }, c.req.param("response")),
  );

  app.post("/v1/responses/:response/cancel", async (c) => {
    const response = await responses.get(c.req.param("response"));
    if (response.background !== true) throw notInBackground("cancelled");
    await stop(responses, response);
    return c.json(encodeResponse(response, await api.turns.answer(response.ref, c.req.raw.signal)));
  });

  app.delete("/v1/responses/:response", async (c) => {
    const id = c.req.param("response");
    const response = await responses.get(id);
    await responses.delete(id);
    // Nobody could read it any more, or stop it.
    if (response.background === true) await stop(responses, response);
    return c.json({ id, object: "response", deleted: true });
  });
}

/** Stops a response wherever it is; a no-op when it is over. */
async function stop(responses: ResponseStore, response: StoredResponse): Promise<void> {
  const session = await responses.sessionOf(response);
  await session.stop(response.ref.promptId, { surface: "api", client: response.id });
}

interface Creating {
  readonly starter: ResponseStarter;
  readonly responses: ResponseStore;
}

async function create(c: HttpContext, api: ApiContext, { starter, responses }: Creating): Promise<Response> {
  api.admission.check();
  const key = readSessionKey(c, api.settings.key);
  const body = await readJsonObject(c, api.settings);
  const read = readResponseRequest(body);
  const toolsWarning = clientToolsWarning(body);
  const { response, choice, replayed } = await starter.start(c, { body, read, key });
  const headers = {
    "x-agent-session-id": response.ref.sessionId,
    ...(key === undefined ? {} : { "x-agent-session-key": key.raw }),
    ...(replayed ? { "idempotency-replayed": "true" } : {}),
    ...warningHeader([toolsWarning, ignoredWarning(body), choice.warning]),
  };
  const { background, ref } = response;
  if (read.request.stream) {
    const encoder =
      background === true
        ? new ResponseStreamEncoder(response, new CursorNumbers(ref.after))
        : new ResponseStreamEncoder(response);
    return stream(c, api, { response, encoder, headers });
  }
  const answer =
    background === true ? await responses.answerOf(response) : await api.turns.answer(ref, c.req.raw.signal);
  return c.json(encodeResponse(response, answer), 200, headers);
}

/** The stream of a response that was begun before, from any of its frames. */
async function streamAgain(
  c: HttpContext,
  api: ApiContext,
  { responses, response }: { readonly responses: ResponseStore; readonly response: StoredResponse },
): Promise<Response> {
  if (response.background !== true) throw notInBackground("streamed again");
  const given = c.req.query("starting_after");
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw new HttpError(400, "'starting_after' must be the sequence_number of an event that was received.", {
      param: "starting_after",
    });
  // Should its process have died, that is noticed now.
  await responses.sessionOf(response);
  const numbers = new CursorNumbers(response.ref.after, given === undefined ? -1 : Number(given));
  const encoder = new ResponseStreamEncoder(response, numbers);
  return stream(c, api, { response, encoder, headers: { "x-agent-session-id": response.ref.sessionId } });
}

const notInBackground = (what: string): HttpError =>
  new HttpError(400, `Only a response that was made with 'background': true can be ${what}.`, {
    param: "response_id",
  });

interface Streaming {
  readonly response: StoredResponse;
  readonly encoder: ResponseStreamEncoder;
  readonly headers: Readonly<Record<string, string>>;
}

function stream(
  c: HttpContext,
  { streams, turns }: ApiContext,
  { response, encoder, headers }: Streaming,
): Response {
  async function* frames(signal: AbortSignal): AsyncGenerator<string, void> {
    yield encoder.begin();
    for await (const event of turns.events(response.ref, { signal })) yield encoder.event(event);
    if (!signal.aborted) yield encoder.end();
  }
  return streams.answer(c, frames, {
    headers,
    failed: () => encoder.failed("The response could not be read to its end."),
  });
}
