import type { GatewayEvent } from "./gateway.ts";
import type { ViewAction } from "./state/reduce.ts";
import type { ViewStore } from "./view-store.ts";

/** Milliseconds between two frames: nobody reads faster. */
const FRAME_MS = 33;

/** A batcher of events: it shows them a frame at a time, however fast they come. */
export class EventBatcher {
  readonly #store: ViewStore;
  readonly #now: () => number;
  #waiting: ViewAction[] = [];
  #timer: NodeJS.Timeout | undefined;
  #shownAt = -Infinity;

  constructor(store: ViewStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  take(event: GatewayEvent): void {
    this.#push({ type: "event", event, at: this.#now() });
  }

  /** Shows what is waiting, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shownAt = this.#now();
    const actions = this.#waiting;
    this.#waiting = [];
    if (actions.length > 0) this.#store.dispatch(...actions);
  }

  #push(action: ViewAction): void {
    this.#merge(action);
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#shownAt + FRAME_MS - this.#now());
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  /** Pieces of one text are one text: a flood of them is as cheap as its length. */
  #merge(action: ViewAction): void {
    const last = this.#waiting.at(-1);
    if (last?.type === "event" && action.type === "event" && last.event.type === "message.delta") {
      if (action.event.type === "message.delta") {
        const text = last.event.payload.text + action.event.payload.text;
        this.#waiting[this.#waiting.length - 1] = {
          ...action,
          event: { ...action.event, payload: { text } },
        };
        return;
      }
    }
    this.#waiting.push(action);
  }
}
