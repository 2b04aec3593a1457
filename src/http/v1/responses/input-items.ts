import type { GivenMessage, Store, UserPart } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import { HttpError } from "../../server/http-error.ts";
import type { ConversationsContext } from "../conversations/conversation-store.ts";
import { callItem, type Item, itemId, resultItem, outputTextPart } from "./items.ts";
import { encodeItemPage, readItemPage } from "./item-page.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";

/** Answers `GET /v1/responses/{response_id}/input_items` with the input of a response, in pages. */
export async function listInputItems(
  c: HttpContext,
  { responses, host }: ConversationsContext,
  id: string,
): Promise<Response> {
  const page = readItemPage(c);
  const response = await responses.get(id);
  const all = inputOf(response, await messagesOf(responses, response));
  return c.json(
    await encodeItemPage(all, page, (input) => input.encode(page.images ? host.services.store : undefined)),
  );
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
        const content = [outputTextPart(message.text)];
        const said = message.text === "" ? [] : [fixed(messageOf(own, "assistant", content))];
        const calls = (message.calls ?? []).map((call) =>
          fixed(callItem(id, call, { callId: call.id, status: "completed" })),
        );
        return [...said, ...calls];
      }
      case "tool":
        return [fixed(resultItem(id, message.callId, { shownAs: message.callId, output: message.text }))];
    }
  });
}

const fixed = (item: Item): Input => ({ id: item.id, encode: () => Promise.resolve(item) });

const messageOf = (id: string, role: "user" | "assistant", content: readonly object[]): Item => {
  return { id, type: "message", role, status: "completed", content };
};

async function userItem(id: string, parts: readonly UserPart[], store: Store | undefined): Promise<Item> {
  return messageOf(id, "user", await Promise.all(parts.map((part) => encodePart(part, store))));
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
