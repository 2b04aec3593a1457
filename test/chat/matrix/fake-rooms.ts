/** An event as the server holds it; they are counted through all rooms. */
export interface FakeEvent {
  readonly pos: number;
  readonly room: string;
  readonly event_id: string;
  readonly type: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly state_key?: string;
  readonly redacts?: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly unsigned?: Readonly<Record<string, unknown>>;
}

export const BOT_ID = "@agent:fake.test";

/** The rooms of a server: events, members, and what is new since a point. */
export class FakeRooms {
  readonly events: FakeEvent[] = [];
  readonly #byRoom = new Map<string, FakeEvent[]>();
  readonly #members = new Map<string, Map<string, { membership: string; name: string; pos: number }>>();
  /** Limits of the news of a room. */
  most = Number.POSITIVE_INFINITY;

  get pos(): number {
    return this.events.length;
  }

  /** A room with these people in it. */
  make(room: string, people: readonly string[]): void {
    if (this.#members.has(room)) return;
    for (const id of people) this.enter(room, id, { membership: "join" });
  }

  /** Somebody is asked to come, comes or leaves. */
  enter(
    room: string,
    id: string,
    {
      membership,
      by = id,
      ...more
    }: {
      readonly membership: string;
      readonly by?: string;
      readonly reason?: unknown;
      readonly is_direct?: boolean;
    },
  ): void {
    const members = this.#members.get(room) ?? new Map<string, never>();
    this.#members.set(room, members);
    const before = members.get(id)?.membership;
    const name = id === BOT_ID ? "Agent" : `Name of ${id.slice(1).split(":")[0] ?? ""}`;
    const event = this.add(room, {
      type: "m.room.member",
      sender: by,
      state_key: id,
      content: { membership, displayname: name, ...more },
      ...(before === undefined ? {} : { unsigned: { prev_content: { membership: before } } }),
    });
    members.set(id, { membership, name, pos: event.pos });
  }

  /** Something happens. */
  add(room: string, event: Pick<FakeEvent, "type" | "sender" | "content"> & Partial<FakeEvent>): FakeEvent {
    const pos = this.events.length + 1;
    const added: FakeEvent = {
      origin_server_ts: Date.now(),
      ...event,
      pos,
      room,
      event_id: `$e${pos}:fake.test`,
    };
    this.events.push(added);
    const inRoom = this.#byRoom.get(room) ?? [];
    inRoom.push(added);
    this.#byRoom.set(room, inRoom);
    return added;
  }

  find(id: string): FakeEvent | undefined {
    return this.events.find((event) => event.event_id === id);
  }

  membershipOf(room: string, id: string): string | undefined {
    return this.#members.get(room)?.get(id)?.membership;
  }

  joined(room: string): Record<string, { display_name: string }> {
    const members = [...(this.#members.get(room) ?? [])].filter(
      ([, { membership }]) => membership === "join",
    );
    return Object.fromEntries(members.map(([id, { name }]) => [id, { display_name: name }]));
  }

  /** The news behind a point, as `/sync` gives them; nothing when there are none. */
  newsSince(
    since: number | undefined,
    limit: number,
    shuffled: (events: readonly FakeEvent[]) => readonly FakeEvent[],
  ) {
    const join: Record<string, unknown> = {};
    const invite: Record<string, unknown> = {};
    for (const [room, members] of this.#members) {
      const own = members.get(BOT_ID);
      if (own?.membership === "invite" && own.pos > (since ?? 0)) invite[room] = this.#invitation(room);
      if (own?.membership !== "join") continue;
      const isNew = own.pos > (since ?? 0);
      const after = isNew ? 0 : (since ?? 0);
      const all = this.#after(room, after);
      if (all.length === 0) continue;
      const shown = all.slice(-Math.min(limit, this.most));
      const isLimited = shown.length < all.length;
      const left = all.slice(0, all.length - shown.length);
      const state = left.filter(({ state_key: key }) => key === BOT_ID).map(wire);
      join[room] = {
        state: { events: state },
        timeline: {
          events: shuffled(shown).map(wire),
          limited: isLimited,
          prev_batch: `t${shown[0]?.pos ?? 0}`,
        },
      };
    }
    return { join, invite };
  }

  /** A page of what was before, the newest first. */
  before(room: string, query: URLSearchParams) {
    const from = Number(query.get("from")?.slice(1));
    const to = Number(query.get("to")?.slice(1) ?? 0);
    const found = (this.#byRoom.get(room) ?? []).filter(({ pos }) => pos < from && pos > to).toReversed();
    const chunk = found.slice(0, Number(query.get("limit") ?? 10));
    const more = chunk.length < found.length ? { end: `t${chunk.at(-1)?.pos ?? 0}` } : {};
    return { start: query.get("from"), chunk: chunk.map(wire), ...more };
  }

  #after(room: string, pos: number): readonly FakeEvent[] {
    const events = this.#byRoom.get(room) ?? [];
    let first = events.length;
    while (first > 0 && (events[first - 1]?.pos ?? 0) > pos) first -= 1;
    return events.slice(first);
  }

  #invitation(room: string) {
    const events = (this.#byRoom.get(room) ?? []).filter(({ state_key: key }) => key === BOT_ID).slice(-1);
    return { invite_state: { events: events.map(({ event_id: _id, ...event }) => wire(event)) } };
  }
}

const wire = ({ pos: _pos, room: _room, ...event }: Partial<FakeEvent>) => event;
