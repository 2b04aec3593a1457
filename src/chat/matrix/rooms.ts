import type { Clock } from "../../shared/async/clock.ts";
import { askPatiently } from "../port/patience.ts";
import type { ChatPlace } from "../port/place.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { MembersWire } from "./wire.ts";

const MOST_ROOMS = 2000;
const MOST_NAMES = 1000;

interface Room {
  readonly kind: ChatPlace["kind"];
  readonly names: ReadonlyMap<string, string>;
}

/** The rooms of the bot, as far as it was asked who is in them. */
export class MatrixRooms {
  readonly #api: MatrixApi;
  readonly #clock: Clock;
  readonly #rooms = new Map<string, Room>();

  constructor(api: MatrixApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** A room of two is a direct one, whatever it was made as. @throws HostError when the server cannot be asked now */
  async kindOf(roomId: string, signal: AbortSignal): Promise<ChatPlace["kind"]> {
    return (await this.#room(roomId, signal)).kind;
  }

  /** A member's name as people see it; a part of the id where there is none. */
  async nameOf(roomId: string, userId: string, signal: AbortSignal): Promise<string> {
    const name = (await this.#room(roomId, signal)).names.get(userId);
    return name || /^@([^:]+)/.exec(userId)?.[1] || userId;
  }

  /** Somebody came, left, or has another name. */
  changed(roomId: string): void {
    this.#rooms.delete(roomId);
  }

  async #room(roomId: string, signal: AbortSignal): Promise<Room> {
    const known = this.#rooms.get(roomId);
    if (known !== undefined) return known;
    const path = pathOf("rooms", roomId, "joined_members");
    const answer = await askPatiently(this.#clock, signal, () => this.#api.call(path, { signal }));
    const members = Object.entries(MembersWire.safeParse(answer).data?.joined ?? {});
    const names = new Map(
      members.slice(0, MOST_NAMES).flatMap(([id, { display_name: name }]) => (name ? [[id, name]] : [])),
    );
    // Where it cannot be asked who listens, anybody may.
    const isDirect = members.length > 0 && members.length <= 2;
    const room: Room = { kind: isDirect ? "direct" : "channel", names };
    if (this.#rooms.size >= MOST_ROOMS) this.#rooms.clear();
    this.#rooms.set(roomId, room);
    return room;
  }
}
