import type { ApiApp, ApiContext } from "../../kit/context.ts";
import { readJsonObject } from "../../kit/json-body.ts";
import { clientToolsWarning, ignoredWarning, warningHeader } from "../../turns/client-tools.ts";
import type { Desk } from "../../turns/desk.ts";
import { sessionKeyOf } from "../../turns/session-key.ts";
import { ResponseStarter } from "./create.ts";
import { encodeResponse, ResponseEncoder } from "./encode.ts";
import { readResponseRequest } from "./request.ts";
import type { Responses, StoredResponse } from "./stored.ts";

export function responseRoutes(app: ApiApp, desk: Desk, responses: Responses): void {
  const starter = new ResponseStarter(desk, responses);
  app.post("/v1/responses", async (c) => await create(c, desk, starter));

  app.get("/v1/responses/:response", async (c) => {
    const response = await responses.get(c.req.param("response"));
    return c.json(encodeResponse(response, await responses.answerOf(response)));
  });

  app.delete("/v1/responses/:response", async (c) => {
    const id = c.req.param("response");
    await responses.delete(id);
    return c.json({ id, object: "response", deleted: true });
  });
}

async function create(c: ApiContext, desk: Desk, starter: ResponseStarter): Promise<Response> {
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
  if (read.request.stream) return stream(c, desk, { response, headers });
  const answer = await desk.turns.answer(response.ref, c.req.raw.signal);
  return c.json(encodeResponse(response, answer), 200, headers);
}

function stream(
  c: ApiContext,
  { streams, turns }: Desk,
  {
    response,
    headers,
  }: { readonly response: StoredResponse; readonly headers: Readonly<Record<string, string>> },
): Response {
  const encoder = new ResponseEncoder(response);
  async function* frames(signal: AbortSignal): AsyncGenerator<string, void> {
    yield encoder.begin();
    for await (const event of turns.events(response.ref, { signal })) {
      const text = encoder.event(event);
      if (text !== "") yield text;
    }
    if (!signal.aborted) yield encoder.end();
  }
  return streams.answer(c, frames, {
    headers,
    failed: () => encoder.failed("The response could not be read to its end."),
  });
}
