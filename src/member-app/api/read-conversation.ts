import { readTranscript, type SessionRecord, type Store, type TranscriptPage } from "../../core/index.ts";
import type { OwnConversations } from "./own-conversations.ts";

/** The messages that are read: so many before a cursor. */
interface ConversationRange {
  readonly limit: number;
  readonly before: number;
}

/** A part of a conversation, and where its events go on. */
interface ConversationPart {
  readonly record: SessionRecord;
  readonly page: TranscriptPage;
  /** The cursor behind the newest message of all. */
  readonly end: number;
}

/** The conversations of a member, and the store that has their rows. */
interface ConversationReader {
  readonly own: Pick<OwnConversations, "record">;
  readonly store: Pick<Store, "read" | "readBefore">;
}

/** Rows that are looked through at a time. */
const ROWS = 500;

/**
 * Reads a part of a conversation as the store has it. Of a damaged one it is what can be read; its record says that it is
 * damaged.
 *
 * @throws HostError `session_not_found`
 */
export async function readConversation(
  { own, store }: ConversationReader,
  id: string,
  range: ConversationRange,
): Promise<ConversationPart> {
  const part = await partOf(store, await own.record(id), range);
  if (part.record.damaged || (await isReadable(store, part, range))) return part;
  return await partOf(store, { ...(await own.record(id)), damaged: true }, range);
}

async function partOf(
  store: ConversationReader["store"],
  record: SessionRecord,
  { limit, before }: ConversationRange,
): Promise<ConversationPart> {
  const { state, damaged } = record;
  // Its turn is followed from its beginning, so that nothing of it is told twice. A damaged one is not followed.
  const end = (damaged ? undefined : state.turn?.from) ?? state.seq;
  const page = await readTranscript(store, record, { limit, before: Math.min(before, end + 1) });
  return { record, page, end };
}

/** Looks whether all rows of a part can be read: a transcript is made of those that can, and does not tell of others. */
async function isReadable(
  store: ConversationReader["store"],
  { record: { id }, page: { entries }, end }: ConversationPart,
  { before }: ConversationRange,
): Promise<boolean> {
  const to = Math.min(before - 1, end);
  for (let after = entries[0]?.seq ?? 0; after < to;) {
    const found = await store.read(id, { after, limit: ROWS });
    if (found?.damagedAt !== undefined) return false;
    after = found?.more === true ? (found.rows.at(-1)?.seq ?? to) : to;
  }
  return true;
}
