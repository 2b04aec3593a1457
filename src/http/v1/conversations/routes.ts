import { z } from "zod";
import { type ApiRoute, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { decode } from "../../server/decode.ts";
import { HttpError } from "../../server/http-error.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { encodeItemPage, ITEM_PAGE_QUERY, readItemPage } from "../responses/item-page.ts";
import type { Item } from "../responses/items.ts";
import { readNewItems, sessionItems } from "./conversation-items.ts";
import type { ConversationItem, ConversationsContext, StoredConversation } from "./conversation-store.ts";

const ONE = "/v1/conversations/{conversation_id}";

const ConversationBody = z
  .looseObject({
    metadata: z.record(z.string(), z.unknown()).nullish(),
    items: z.array(z.unknown()).nullish(),
  })
  .meta({ title: "ConversationRequest" });

const ItemsBody = z.looseObject({ items: z.array(z.unknown()) }).meta({ title: "ConversationItemsRequest" });

/** The routes of conversations: names under which responses go on, with items that clients add. */
export const CONVERSATION_ROUTES: readonly ApiRoute<ConversationsContext>[] = [
  route("POST /v1/conversations", create, {
    id: "createConversation",
    summary: "Make a conversation",
    endpoint: "conversations",
    body: ConversationBody,
    bodyOptional: true,
  }),
  route(`GET ${ONE}`, async (c, api, id) => c.json(encode(await find(api, id))), {
    id: "getConversation",
    summary: "A conversation",
    endpoint: "conversation",
  }),
  route(
    `POST ${ONE}`,
    async (c, api, id) => {
      const { metadata } = decode(ConversationBody, await readJsonObject(c, api.settings));
      const changed = await make(api, id, (now) => ({ ...now, metadata: metadata ?? now.metadata }));
      return c.json(encode(changed));
    },
    { id: "updateConversation", summary: "Change a conversation's metadata", body: ConversationBody },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, api, id) => {
      await find(api, id);
      await api.conversations.remove(id);
      await api.responses.names.drop(id);
      return c.json({ id, object: "conversation.deleted", deleted: true });
    },
    { id: "deleteConversation", summary: "Forget a conversation", endpoint: "conversation_delete" },
  ),
  route(
    `GET ${ONE}/items`,
    async (c, api, id) => {
      const page = readItemPage(c);
      return c.json(await encodeItemPage(await itemsOf(api, id), page, (item) => item));
    },
    {
      id: "listConversationItems",
      summary: "What a conversation holds, in pages",
      endpoint: "conversation_items",
      query: ITEM_PAGE_QUERY,
    },
  ),
  route(
    `POST ${ONE}/items`,
    async (c, api, id) => {
      const { items } = decode(ItemsBody, await readJsonObject(c, api.settings));
      const added = readNewItems(items, newItemId(api));
      await make(api, id, (now) => ({ ...now, items: [...now.items, ...added] }));
      const page = { limit: added.length, order: "asc", after: undefined, images: false } as const;
      return c.json(await encodeItemPage(added, page, (item) => item));
    },
    { id: "addConversationItems", summary: "Add items for the next response to take in", body: ItemsBody },
  ),
  route(
    `GET ${ONE}/items/{item_id}`,
    async (c, api, id) => {
      const wanted = c.req.param("item");
      const item = (await itemsOf(api, id)).find((each) => each.id === wanted);
      if (item === undefined) throw notFound("Item", wanted ?? "");
      return c.json(item);
    },
    { id: "getConversationItem", summary: "An item of a conversation" },
  ),
  route(
    `DELETE ${ONE}/items/{item_id}`,
    async (c, api, id) => c.json(encode(await removeItem(api, id, c.req.param("item") ?? ""))),
    { id: "deleteConversationItem", summary: "Take back an item that no response has taken in yet" },
  ),
];

const newItemId =
  ({ host }: ApiContext) =>
  (prefix: string): string =>
    `${prefix}_${host.services.hex(24)}`;

async function create(c: HttpContext, api: ConversationsContext): Promise<Response> {
  const { clock, hex } = api.host.services;
  const { metadata, items } = decode(ConversationBody, await readJsonObject(c, api.settings, {}));
  const conversation: StoredConversation = {
    id: `conv_${hex(24)}`,
    created: Math.floor(clock.now() / 1000),
    metadata: metadata ?? {},
    items: readNewItems(items ?? [], newItemId(api)),
  };
  await api.conversations.add(conversation);
  return c.json(encode(conversation));
}

/** Gives a conversation, also one that exists only as a name in responses. @throws HttpError 404 */
async function find(
  { conversations, responses }: ConversationsContext,
  id: string,
): Promise<StoredConversation> {
  const made = await conversations.get(id);
  if (made !== undefined) return made;
  const latest = await responses.latest(id);
  if (latest !== undefined) return { id, created: latest.created, metadata: {}, items: [] };
  throw notFound("Conversation", id);
}

/** Changes a conversation; one that exists only as a name is written down first. @throws HttpError 404 */
async function make(
  api: ConversationsContext,
  id: string,
  change: (conversation: StoredConversation) => StoredConversation,
): Promise<StoredConversation> {
  const changed = await api.conversations.change(id, change);
  if (changed !== undefined) return changed;
  const named = change(await find(api, id));
  await api.conversations.add(named);
  return named;
}

/** All items, oldest first: those in its session, then those that wait for the next response. */
async function itemsOf(api: ConversationsContext, id: string): Promise<readonly (Item | ConversationItem)[]> {
  const { items } = await find(api, id);
  const latest = await api.responses.latest(id);
  if (latest === undefined) return items;
  const session = await api.responses.sessionOf(latest);
  return [...(await sessionItems(api.host.services.store, session)), ...items];
}

/** @throws HttpError 404 */
async function removeItem(api: ConversationsContext, id: string, item: string): Promise<StoredConversation> {
  const { items } = await find(api, id);
  if (!items.some((each) => each.id === item)) throw notFound("Item", item);
  return await make(api, id, (now) => ({ ...now, items: now.items.filter((each) => each.id !== item) }));
}

const notFound = (what: string, id: string): HttpError =>
  new HttpError(404, `${what} with id '${id.slice(0, 100)}' not found.`, { param: "conversation_id" });

const encode = ({ id, created, metadata }: StoredConversation) => ({
  id,
  object: "conversation",
  created_at: created,
  metadata,
});
