import { z } from "zod";
import type { SessionRecord } from "../../core/index.ts";
import { newestMessage } from "./newest-message.ts";
import { bodyOf, Done } from "../../http/server/checked-body.ts";
import { countOf } from "../../http/server/decode.ts";
import { badRequest } from "../../http/server/http-error.ts";
import { imageTypeOf } from "../../shared/content/image-header.ts";
import { defined } from "../../shared/json/defined.ts";
import {
  ConversationPage,
  ConversationView,
  decodePlace,
  encodeConversation,
  encodeEntry,
  encodePlace,
  encodeWaiting,
} from "./encode-conversation.ts";
import { memberRoute, type MemberRequest, type MemberRoute } from "./member-api.ts";
import { readConversation } from "./read-conversation.ts";

const CONVERSATIONS = "/app/api/conversations";
const ONE = `${CONVERSATIONS}/{conversation_id}` as const;
const LIMIT = { otherwise: 30, most: 100 } as const;
const MESSAGES = { otherwise: 60, most: 200 } as const;
const NEWEST = { otherwise: Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER } as const;

const Rename = z.object({ title: z.string().max(200) }).meta({ title: "RenameConversation" });
const Seen = z
  .object({ seq: z.int().min(0).describe("The cursor of the last event") })
  .meta({ title: "Seen" });
const Answer = z
  .object({ question_id: z.string().max(100), text: z.string().max(20_000).exactOptional() })
  .meta({ title: "AnswerQuestion", description: "Without a text the member would rather not answer." });

/** Declares the routes of conversations. */
export const OWN_CONVERSATION_ROUTES: readonly MemberRoute[] = [
  memberRoute(`GET ${CONVERSATIONS}`, async (request) => request.c.json(await listOf(request)), {
    id: "listConversations",
    summary: "The member's conversations, the newest activity first",
    answer: ConversationPage,
    query: ["after", "limit", "q"],
  }),
  memberRoute(`GET ${ONE}`, async (request) => request.c.json(await viewOf(request)), {
    id: "openConversation",
    summary: "A conversation with its newest messages",
    answer: ConversationView,
    query: ["before", "limit"],
  }),
  memberRoute(
    `PATCH ${ONE}`,
    async ({ c, own, id }) => {
      const { title } = await bodyOf(c, Rename);
      await (await own.session(id)).setTitle(title);
      return c.json({ ok: true });
    },
    { id: "renameConversation", summary: "Give a conversation a title", body: Rename, answer: Done },
  ),
  memberRoute(
    `DELETE ${ONE}`,
    async ({ c, api, own, id, member }) => {
      await own.remove(id);
      await api.read.forget(member.id, id);
      return c.json({ ok: true });
    },
    { id: "deleteConversation", summary: "Delete a conversation with all that is in it", answer: Done },
  ),
  memberRoute(
    `POST ${ONE}/read`,
    async ({ c, api, own, id, member }) => {
      const { seq } = await bodyOf(c, Seen);
      await own.record(id);
      await api.read.note({ user: member.id, conversation: id, seq });
      return c.json({ ok: true });
    },
    { id: "noteRead", summary: "Note how far a conversation was seen", body: Seen, answer: Done },
  ),
  memberRoute(
    `POST ${ONE}/stop`,
    async ({ c, own, id, member }) => {
      await (await own.session(id)).interrupt({ from: { surface: "app", client: member.id } });
      return c.json({ ok: true });
    },
    { id: "stop", summary: "Stop the answer that is being written", answer: Done },
  ),
  memberRoute(
    `POST ${ONE}/answers`,
    async ({ c, own, id, member }) => {
      const { question_id: questionId, text } = await bodyOf(c, Answer);
      if (text?.trim() === "") throw badRequest("'text': the answer is empty.", "text");
      const session = await own.session(id);
      await session.answer(questionId, text === undefined ? { declined: true } : { text }, {
        surface: "app",
        client: member.id,
      });
      return c.json({ ok: true });
    },
    { id: "answer", summary: "Answer a question of the agent", body: Answer, answer: Done },
  ),
  memberRoute(
    "GET /app/api/blobs/{blob_id}",
    async ({ c, own, id }) => {
      const bytes = await own.blob(id);
      // Its name is made of what is in it. A picture that is no picture is still not run by any browser.
      return c.body(new Uint8Array(bytes), 200, {
        "content-type": imageTypeOf(bytes) ?? "application/octet-stream",
        "content-disposition": "inline",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      });
    },
    { id: "getBlob", summary: "A picture of one of the member's conversations" },
  ),
];

async function listOf({ c, api, own, member }: MemberRequest): Promise<z.output<typeof ConversationPage>> {
  const { after, limit, q = "" } = c.req.query();
  const count = Math.max(1, countOf(limit, LIMIT));
  const found = await own.list({
    limit: count + 1,
    ...decodePlace(after),
    ...defined({ search: q.trim() || undefined }),
  });
  const page = found.slice(0, count);
  const last = page.at(-1);
  return {
    data: await Promise.all(
      page.filter(hasBegun).map(async (record) =>
        encodeConversation(record, {
          seq: await api.read.of(member.id, record.id),
          newest: await newestMessage(api.services.store, record),
        }),
      ),
    ),
    ...(found.length > count && last !== undefined ? { next: encodePlace(last) } : {}),
  };
}

/** What a process that died left without its first message is no conversation. A damaged one is never hidden. */
const hasBegun = ({ damaged, state: { counts, queue, turn } }: SessionRecord): boolean =>
  damaged || counts.messages > 0 || queue.length > 0 || turn !== undefined;

async function viewOf({
  c,
  own,
  id,
  api,
  member,
}: MemberRequest): Promise<z.output<typeof ConversationView>> {
  const { store } = api.services;
  const { record, page, end } = await readConversation({ own, store }, id, {
    limit: Math.max(1, countOf(c.req.query("limit"), MESSAGES)),
    before: countOf(c.req.query("before"), NEWEST),
  });
  return {
    conversation: encodeConversation(record, { seq: await api.read.of(member.id, id), newest: "" }),
    messages: page.entries.flatMap((entry) => encodeEntry(entry)),
    ...encodeWaiting(record),
    ...defined({ before: page.before }),
    after: end,
  };
}
