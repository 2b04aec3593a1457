import type { GivenMessage, Store, UserPart } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";
import { callItem, type Item, itemId, resultItem, outputTextPart } from "./items.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

interface Page {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** The item before the first one. */
  readonly after: string | undefined;
  /** Images are sent too, as data URLs. */
  readonly images: boolean;
}

const IMAGES = "message.input_image.image_url";

/** Answers `GET /v1/responses/{response_id}/input_items` with the input of a response, in pages. */
export async function listInputItems(
  c: HttpContext,
  { responses, store }: { readonly responses: ResponseStore; readonly store: Store },
  id: string,
): Promise<Response> {
  const page = readPage(c);
  const response = await responses.get(id);
  const all = inputOf(response, await messagesOf(responses, response));
  const ordered = page.order === "asc" ? all : all.toReversed();
  const from = page.after === undefined ? 0 : 1 + ordered.findIndex((input) => input.id === page.after);
  if (page.after !== undefined && from === 0)
    throw badRequest(`The response has no input item ${JSON.stringify(page.after)}.`, "after");
  const shown = ordered.slice(from, from + page.limit);
  const data: Item[] = [];
  for (const input of shown) data.push(await input.encode(page.images ? store : undefined));
  return c.json({
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + page.limit < ordered.length,
  });
}

const MOST = 100;

/** @throws HttpError 400 */
function readPage(c: HttpContext): Page {
  const { limit = "20", order = "desc", after } = c.req.query();
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST)
    throw badRequest(`'limit' must be a number from 1 to ${MOST}.`, "limit");
  if (order !== "asc" && order !== "desc") throw badRequest("'order' must be asc or desc.", "order");
  const include = [...(c.req.queries("include") ?? []), ...(c.req.queries("include[]") ?? [])];
  return { limit: Number(limit), order, after, images: include.includes(IMAGES) };
}

/** Reads the messages that came with a response's prompt, and the prompt itself, also while it waits. */
async function messagesOf(
  responses: ResponseStore,
  response: StoredResponse,
): Promise<readonly GivenMessage[]> {
  const { promptId, after } = response.ref;
  const session = await responses.sessionOf(response);
  const waiting = session.state.queue.find(({ prompt }) => prompt.id === promptId)?.prompt;
  if (waiting !== undefined) return [...(waiting.before ?? []), { role: "user", parts: waiting.parts }];
  let given: readonly GivenMessage[] = [];
  for await (const event of session.events({ after, follow: false })) {
    if (event.type === "turn.start" && event.prompt.id === promptId)
      return [...given, { role: "user", parts: event.prompt.parts }];
    // The messages that came with a prompt are right before its turn.
    given = event.type === "history.given" ? event.messages : [];
  }
  throw new HttpError(404, `The input of ${response.id} is not there any more.`, { param: "response_id" });
}

/** One item, whose images are loaded only when it is shown. */
interface Input {
  readonly id: string;
  encode(store: Store | undefined): Promise<Item>;
}

function inputOf({ id }: StoredResponse, messages: readonly GivenMessage[]): readonly Input[] {
  return messages.flatMap((message, index) => {
    const own = itemId("msg", id, `input:${index}`);
    switch (message.role) {
      case "user":
        return [{ id: own, encode: (store) => userItem(own, message.parts, store) }];
      case "assistant": {
        const said = message.text === "" ? [] : [fixed(assistantItem(own, message.text))];
        return [
          ...said,
          ...(message.calls ?? []).map((call) =>
            fixed(callItem(id, call, { callId: call.id, status: "completed" })),
          ),
        ];
      }
      case "tool":
        return [fixed(resultItem(id, message.callId, { shownAs: message.callId, output: message.text }))];
    }
  });
}

const fixed = (item: Item): Input => ({ id: item.id, encode: () => Promise.resolve(item) });

const assistantItem = (id: string, text: string): Item => ({
  id,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [outputTextPart(text)],
});

async function userItem(id: string, parts: readonly UserPart[], store: Store | undefined): Promise<Item> {
  const content = await Promise.all(parts.map((part) => encodePart(part, store)));
  return { id, type: "message", role: "user", status: "completed", content };
}

async function encodePart(part: UserPart, store: Store | undefined) {
  switch (part.type) {
    case "text":
    case "resource":
      return { type: "input_text", text: part.text };
    case "link":
      return { type: "input_text", text: part.uri };
    case "image": {
      const image = { type: "input_image", detail: part.detail ?? "auto" };
      if (store === undefined) return image;
      const base64 = (await store.getBlob(part.blob.hash)).toBase64();
      return { ...image, image_url: `data:${part.mediaType};base64,${base64}` };
    }
  }
}
