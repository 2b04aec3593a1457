import { HostError } from "../../shared/errors/host-error.ts";
import type { Sink } from "../port/channel.ts";
import type { Incoming } from "../port/incoming.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import type { EncryptedRooms } from "./encrypted.ts";
import { readGap } from "./gap.ts";
import { answerInvite } from "./invites.ts";
import { HOLD_MS } from "./limits.ts";
import { type EventReaderParts, readEvent } from "./receive.ts";
import { type JoinedRoom, type MatrixEvent, SyncWire } from "./wire.ts";

/** The parts with which news are read. */
export interface SyncParts extends EventReaderParts {
  readonly api: MatrixApi;
  readonly ports: Pick<ChannelPorts, "notes" | "clock">;
  readonly encrypted: EncryptedRooms;
  readonly sink: Sink;
}

const SINCE = "since";
const KEPT_MS = 365 * 24 * 3_600_000;
const LARGEST_NEWS = 32_000_000;
const TIMELINE = 100;

const filterOf = (limit: number): string => {
  const nothing = { types: [] };
  const types = ["m.room.message", "m.room.encrypted", "m.room.member", "m.room.redaction", "m.reaction"];
  return JSON.stringify({
    presence: nothing,
    account_data: nothing,
    room: {
      account_data: nothing,
      ephemeral: nothing,
      state: { types: ["m.room.member"], lazy_load_members: true },
      timeline: { types, limit },
    },
  });
};

/**
 * Asks for news until `signal` aborts: https://spec.matrix.org/latest/client-server-api/#syncing. Where the next news begin is
 * noted when these are safe. An account that was never read begins with what comes from now on.
 *
 * @throws HostError when the server cannot be asked
 */
export async function receiveNews(parts: SyncParts): Promise<void> {
  const { api, ports, sink, signal } = parts;
  const { notes, clock } = ports;
  let since = (await notes.all()).get(SINCE);
  while (!signal.aborted) {
    const query = {
      filter: filterOf(since === undefined ? 1 : TIMELINE),
      timeout: String(since === undefined ? 0 : HOLD_MS),
      ...(since === undefined ? {} : { since }),
    };
    const options = { query, signal, timeoutMs: 2 * HOLD_MS, maxBytes: LARGEST_NEWS };
    const { data: news } = SyncWire.safeParse(await api.call("/sync", options));
    if (news === undefined) throw new HostError("delivery_failed", "matrix: the news could not be read.");
    sink.alive();
    const { join, invite } = news.rooms;
    if (since !== undefined) await takeRooms(Object.entries(join), since, parts);
    for (const each of Object.entries(invite)) await answerInvite(parts, each, signal);
    if (news.next_batch === since) continue;
    since = news.next_batch;
    await notes.put(SINCE, since, clock.now() + KEPT_MS);
  }
}

async function takeRooms(
  rooms: readonly (readonly [string, JoinedRoom])[],
  since: string,
  parts: SyncParts,
): Promise<void> {
  const { sink } = parts;
  const events: Incoming[] = [];
  for (const [roomId, room] of rooms) {
    const happened = await happenedIn([roomId, room], since, parts);
    for (const event of happened) events.push(...(await readEvent(roomId, event, parts)));
    await tellOfEncryption(roomId, happened, parts);
  }
  if (events.length === 0) return;
  await sink.take(events);
  await markRead(events, parts);
}

/** All that happened in a room since it was last read, in its order. */
async function happenedIn(
  [roomId, { state, timeline }]: readonly [string, JoinedRoom],
  since: string,
  { api, ports, rooms, bot, signal }: SyncParts,
): Promise<readonly MatrixEvent[]> {
  const { events, limited, prev_batch: before } = timeline;
  if ([...state.events, ...events].some(({ type }) => type === "m.room.member")) rooms.changed(roomId);
  const isBegin = (event: MatrixEvent): boolean => isOwnEntry(event, bot.id);
  const begin = events.findIndex(isBegin);
  // What was said before the bot was asked to come is none of it.
  if (begin >= 0) return events.slice(begin);
  if (!limited || before === undefined) return events;
  const missed = await readGap({ api, clock: ports.clock }, { roomId, before, since, isBegin }, signal);
  return [...missed, ...events];
}

/** The bot was invited to a room, or came into it. */
function isOwnEntry({ type, state_key: who, content, unsigned }: MatrixEvent, botId: string): boolean {
  if (type !== "m.room.member" || who !== botId) return false;
  if (content.membership === "invite") return true;
  return content.membership === "join" && unsigned?.prev_content?.membership !== "join";
}

async function tellOfEncryption(
  roomId: string,
  events: readonly MatrixEvent[],
  { encrypted, rooms, sink, bot, signal }: SyncParts,
): Promise<void> {
  const sender = events.findLast(
    (event) => event.type === "m.room.encrypted" && event.sender !== bot.id,
  )?.sender;
  if (sender === undefined) return;
  const kind = await rooms.kindOf(roomId, signal);
  if (await sink.admits({ id: sender, name: sender }, { kind, chatId: roomId }))
    await encrypted.tell(roomId, signal);
}

/** Shows people that what was meant for the agent has been read. Nobody misses it. */
async function markRead(events: readonly Incoming[], { api, signal }: SyncParts): Promise<void> {
  const last = new Map(
    events.flatMap((event) =>
      event.type === "message" && event.addressed ? [[event.place.chatId, event.messageId] as const] : [],
    ),
  );
  await Promise.all(
    [...last].map(([roomId, id]) =>
      api
        .call(pathOf("rooms", roomId, "receipt", "m.read", id), { method: "POST", body: {}, signal })
        .catch(() => undefined),
    ),
  );
}
