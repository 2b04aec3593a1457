import { createHash } from "node:crypto";
import type { EventSource } from "../../automation/outgoing/index.ts";
import { decodeRow, type DurableEvent, type FeedRow, type Store } from "../../core/index.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";

/** The kinds of what a member is told of. */
export type NewsKind = "answer" | "failure" | "question";

/** A thing that happened in a conversation, and that its member may not have seen. */
export interface PushNews {
  /** The same whenever it is read. */
  readonly id: string;
  readonly kind: NewsKind;
  readonly user: string;
  readonly conversation: string;
  /** The cursor of the event. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The parts of the source of news. */
export interface PushNewsParts {
  readonly store: Pick<Store, "feed" | "record">;
  readonly now: () => number;
  /** Told of a row that cannot be read; those behind it are read all the same. */
  readonly report: (error: HostError) => void;
}

/** Milliseconds after which nothing is news any more. */
export const NEWS_LIFE = 12 * 3_600_000;
const AT_ONCE = 200;

/** Makes the source of what members are told of, read from the home's feed. */
export const pushNews = ({ store, now, report }: PushNewsParts): EventSource<PushNews> => ({
  name: "news",
  async read(after) {
    const { rows, next } = await store.feed(after, AT_ONCE);
    const events: PushNews[] = [];
    for (const row of rows) {
      if (row.row.at < now() - NEWS_LIFE) continue;
      try {
        const news = await newsOf(row, store);
        if (news !== undefined) events.push(news);
      } catch (thrown) {
        const error = toHostError(thrown);
        // The store answers again later; what it cannot read now it never can.
        if (error.code === "store_unavailable") throw error;
        report(error);
      }
    }
    return { events, next };
  },
});

async function newsOf(
  { session, row }: FeedRow,
  store: Pick<Store, "record">,
): Promise<PushNews | undefined> {
  const { event, seq, at } = decodeRow(row);
  const kind = kindOf(event);
  if (kind === undefined) return undefined;
  const { user, platform, depth, hidden } = (await store.record(session))?.state ?? {};
  if (user === undefined || platform !== "app" || depth !== 0 || hidden === true) return undefined;
  const id = createHash("sha256").update(`${session} ${seq} ${kind}`).digest("base64url").slice(0, 32);
  return { id, kind, user, conversation: session, seq, at };
}

function kindOf(event: DurableEvent): NewsKind | undefined {
  if (event.type === "clarify.request") return "question";
  // What its member stopped they know of.
  if (event.type !== "turn.end" || event.outcome === "cancelled") return undefined;
  return event.outcome === "completed" ? "answer" : "failure";
}
