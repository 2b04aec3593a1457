import type { Sink } from "../port/channel.ts";
import type { MattermostApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import type { Bookmark } from "./bookmark.ts";
import { eventsOf, type ReadingParts } from "./events.ts";
import { ChannelWire, type Post, postsIn } from "./post.ts";

/** The parts with which what was missed is read. */
export interface CatchUpParts extends ReadingParts {
  readonly api: MattermostApi;
  readonly bookmark: Bookmark;
  readonly sink: Sink;
}

/** A server gives so many posts of some time, and does not say which when there are more. */
const MOST_SINCE = 1000;
const PAGE = 200;

/**
 * Reads what was written while nobody listened, in all channels in which there is something new:
 * https://developers.mattermost.com/api-documentation/#/operations/GetPostsForChannel
 */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { api, bot, bookmark, directory, sink, signal } = parts;
  const since = await bookmark.since();
  const listed = await api.call(pathOf("users", bot.id, "channels"), { signal });
  let newest = 0;
  for (const each of Array.isArray(listed) ? (listed as unknown[]) : []) {
    const { data: channel } = ChannelWire.safeParse(each);
    if (channel === undefined) continue;
    directory.noteChannel(channel.id, channel.type);
    if (channel.last_post_at <= since) continue;
    const posts = await postsSince(parts, channel.id, since);
    sink.alive();
    await directory.learnNames(
      posts.map(({ user_id: id }) => id),
      signal,
    );
    for (const post of posts) {
      const events = await eventsOf(post, since, parts);
      if (events.length > 0) await sink.take(events);
      newest = Math.max(newest, post.create_at);
    }
  }
  await bookmark.advance(newest);
}

async function postsSince(
  { api, signal }: CatchUpParts,
  channelId: string,
  since: number,
): Promise<readonly Post[]> {
  const path = pathOf("channels", channelId, "posts");
  const posts = postsIn(await api.call(`${path}?since=${since}`, { signal }));
  if (posts.length < MOST_SINCE) return posts;
  const all: Post[] = [];
  for (let page = 0; ; page += 1) {
    const older = postsIn(await api.call(`${path}?page=${page}&per_page=${PAGE}`, { signal }));
    all.unshift(...older);
    if (older.length < PAGE || (older[0]?.create_at ?? 0) <= since) return all;
  }
}
