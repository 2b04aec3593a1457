import type { Clock } from "../../shared/async/clock.ts";
import { askPatiently } from "../port/patience.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { EventWire } from "./wire.ts";

/** An event, as far as later ones are about it. */
export interface KnownEvent {
  readonly sender: string;
  /** The root of its thread. */
  readonly threadId?: string | undefined;
  /** The message that it is a sign under. */
  readonly reactionTo?: string | undefined;
}

const MOST = 5000;

/** The events that were seen lately. Others are asked for. */
export class KnownEvents {
  readonly #api: MatrixApi;
  readonly #clock: Clock;
  readonly #known = new Map<string, KnownEvent>();

  constructor(api: MatrixApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  note(id: string, event: KnownEvent): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(id, event);
  }

  /** @throws HostError when the server cannot be asked now */
  async get(roomId: string, id: string, signal: AbortSignal): Promise<KnownEvent | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const path = pathOf("rooms", roomId, "event", id);
    const answer = await askPatiently(this.#clock, signal, () => this.#api.call(path, { signal }));
    const { data: event } = EventWire.safeParse(answer);
    if (event === undefined) return undefined;
    const found = { sender: event.sender, ...relationOf(event.content["m.relates_to"]) };
    this.note(id, found);
    return found;
  }
}

/** What the relation of an event says of it. */
export const relationOf = (
  relation: { readonly rel_type?: string | undefined; readonly event_id?: string | undefined } | undefined,
): Pick<KnownEvent, "threadId" | "reactionTo"> => ({
  threadId: relation?.rel_type === "m.thread" ? relation.event_id : undefined,
  reactionTo: relation?.rel_type === "m.annotation" ? relation.event_id : undefined,
});
