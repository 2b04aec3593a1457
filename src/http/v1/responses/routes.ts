import type { ApiApp, ApiContext } from "../../server/context.ts";
import { switchOf } from "../../server/coerce.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { Refusal } from "../../server/refusal.ts";
import { clientToolsWarning, ignoredWarning, warningHeader } from "../../turns/client-tools.ts";
import type { Desk } from "../../turns/desk.ts";
import { sessionKeyOf } from "../../turns/session-key.ts";
import { ResponseStarter } from "./create.ts";
import { encodeResponse } from "./encode.ts";
import { listInputItems } from "./input-items.ts";
import { PlacedFrames } from "./numbering.ts";
import { readResponseRequest } from "./request.ts";
import type { Responses, StoredResponse } from "./stored.ts";
import { ResponseEncoder } from "./stream-encode.ts";

export function responseRoutes(app: ApiApp, desk: Desk, responses: Responses): void {
  const starter = new ResponseStarter(desk, responses);
  const { store } = desk.host.services;
  app.post("/v1/responses", async (c) => await create(c, desk, { starter, responses }));

  app.get("/v1/responses/:response", async (c) => {
    const response = await responses.get(c.req.param("response"));
    if (switchOf(c.req.query("stream"), false)) return await streamAgain(c, desk, { responses, response });
    return c.json(encodeResponse(response, await responses.answerOf(response)));
  });

  app.get("/v1/responses/:response/input_items", (c) =>
    listInputItems(c, { responses, store }, c.req.param("response")),
  );

  app.post("/v1/responses/:response/cancel", async (c) => {
    const response = await responses.get(c.req.param("response"));
    if (response.background !== true) throw notInBackground("cancelled");
    await stop(responses, response);
    return c.json(encodeResponse(response, await desk.turns.answer(response.ref, c.req.raw.signal)));
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
async function stop(responses: Responses, response: StoredResponse): Promise<void> {
  const session = await responses.sessionOf(response);
  await session.stop(response.ref.promptId, { surface: "api", client: response.id });
}

interface Creating {
  readonly starter: ResponseStarter;
  readonly responses: Responses;
}

async function create(c: ApiContext, desk: Desk, { starter, responses }: Creating): Promise<Response> {
  desk.admission.check();
  const key = sessionKeyOf(c, desk.settings.key);
  const body = await readJsonObject(c, desk.settings);
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
        ? new ResponseEncoder(response, new PlacedFrames(ref.after))
        : new ResponseEncoder(response);
    return stream(c, desk, { response, encoder, headers });
  }
  const answer =
    background === true ? await responses.answerOf(response) : await desk.turns.answer(ref, c.req.raw.signal);
  return c.json(encodeResponse(response, answer), 200, headers);
}

/** The stream of a response that was begun before, from any of its frames. */
async function streamAgain(
  c: ApiContext,
  desk: Desk,
  { responses, response }: { readonly responses: Responses; readonly response: StoredResponse },
): Promise<Response> {
  if (response.background !== true) throw notInBackground("streamed again");
  const given = c.req.query("starting_after");
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw new Refusal(400, "'starting_after' must be the sequence_number of an event that was received.", {
      param: "starting_after",
    });
  // Should its process have died, that is noticed now.
  await responses.sessionOf(response);
  const numbers = new PlacedFrames(response.ref.after, given === undefined ? -1 : Number(given));
  const encoder = new ResponseEncoder(response, numbers);
  return stream(c, desk, { response, encoder, headers: { "x-agent-session-id": response.ref.sessionId } });
}

const notInBackground = (what: string): Refusal =>
  new Refusal(400, `Only a response that was made with 'background': true can be ${what}.`, {
    param: "response_id",
  });

interface Streaming {
  readonly response: StoredResponse;
  readonly encoder: ResponseEncoder;
  readonly headers: Readonly<Record<string, string>>;
}

function stream(
  c: ApiContext,
  { streams, turns }: Desk,
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
