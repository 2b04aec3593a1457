import type { Clock } from "../../shared/async/clock.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import type { DiscordApi } from "./api.ts";
import { channelOf } from "./channels.ts";
import { type NamedBot, writtenMessage } from "./event.ts";
import type { KnownPlace } from "./known-places.ts";
import { askPatiently } from "../port/patience.ts";
import { isLater, MessageWire } from "./wire.ts";

/** What is older is not answered any more. */
const LONGEST_AGO_MS = 24 * 3_600_000;
const PAGE = 100;
const MOST_PAGES = 10;
/** The first millisecond of the platform's ids. */
const EPOCH = 1_420_070_400_000;

/** Reads the messages that came to a place while nobody listened, in their order, and hands them over page by page. */
export async function readMissed(
  { api, clock, bot }: { readonly api: DiscordApi; readonly clock: Clock; readonly bot: NamedBot },
  { place, last }: KnownPlace,
  { take, signal }: { take: (messages: readonly IncomingMessage[]) => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const oldest = String(BigInt(Math.max(0, clock.now() - LONGEST_AGO_MS - EPOCH)) << 22n);
  let after = isLater(oldest, last) ? oldest : last;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const path = `/channels/${channelOf(place)}/messages?after=${after}&limit=${PAGE}`;
    const found = await askPatiently(clock, signal, () => api.call("GET", { path, signal }));
    if (!Array.isArray(found) || found.length === 0) return;
    const messages = found
      .flatMap((each: unknown) => MessageWire.safeParse(each).data ?? [])
      .toSorted((one, other) => (isLater(one.id, other.id) ? 1 : -1));
    await take(messages.flatMap((message) => writtenMessage(message, place, bot) ?? []));
    after = messages.at(-1)?.id ?? after;
    if (found.length < PAGE) return;
  }
}
