import { z } from "zod";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const time = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);

const FileWire = z.object({
  id: z.string(),
  name: z.string().default("file"),
  mime_type: z.string().default(""),
  size: z.number().optional(),
});

/** A post, as far as it is read: https://developers.mattermost.com/api-documentation/#/operations/GetPost */
export const PostWire = z.object({
  id: z.string().min(1),
  channel_id: z.string().min(1),
  user_id: z.string().min(1),
  root_id: text,
  message: text,
  type: text,
  create_at: time,
  edit_at: time,
  delete_at: time,
  props: z.record(z.string(), z.unknown()).nullish(),
  metadata: z.object({ files: z.array(z.unknown()).nullish() }).nullish(),
});

/** A post as it was read. Times are Unix milliseconds of the server; 0: never. */
export type Post = z.output<typeof PostWire>;

/** A file of a post. */
export type PostFile = z.output<typeof FileWire>;

/** The files of a post; a stranger may name any number. */
export const filesOf = ({ metadata }: Post): readonly PostFile[] =>
  (metadata?.files ?? []).slice(0, 100).flatMap((file) => FileWire.safeParse(file).data ?? []);

/** Where the bot notes, in a post of its own, what `OutgoingMessage.once` was. */
export const ONCE_PROP = "agent_once";

/** The posts of a list, in the order in which they were written. */
export function postsIn(list: unknown): readonly Post[] {
  const { data } = PostListWire.safeParse(list);
  const posts = (data?.order ?? []).flatMap((id) => PostWire.safeParse(data?.posts[id]).data ?? []);
  return posts.toSorted((a, b) => a.create_at - b.create_at);
}

const PostListWire = z.object({
  order: z.array(z.string()),
  posts: z.record(z.string(), z.unknown()),
});

/** A channel, of https://developers.mattermost.com/api-documentation/#/operations/GetChannelsForUser */
export const ChannelWire = z.object({
  id: z.string().min(1),
  /** `D`: of two people; `G`: of several; `O`, `P`: of a team. */
  type: z.string(),
  last_post_at: time,
});
