import type { ClientEvent, ConnectionState, Gateway, GatewayEvent } from "./gateway.ts";
import type { FirstSession, SessionController } from "./session-controller.ts";
import type { ViewAction } from "./state/reduce.ts";
import type { ViewStore } from "./view-store.ts";

/** Milliseconds between two frames: nobody reads faster. */
const FRAME_MS = 33;

interface EventReaderParts {
  readonly store: ViewStore;
  readonly controller: SessionController;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Something about other sessions has changed. */
  readonly othersChanged?: () => void;
}

/**
 * A reader of the gateway's events. It passes those of the connection and of the shown session to the view, a frame at a
 * time, however fast they come.
 */
export class EventReader {
  readonly #parts: EventReaderParts;
  #waiting: Extract<ViewAction, { type: "event" }>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #shownAt = -Infinity;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
  }

  /** Reads until `signal` aborts or the client ends; after each event it waits for `ready`. */
  async read(
    gateway: Gateway,
    { signal, ready }: { readonly signal: AbortSignal; readonly ready?: () => Promise<void> },
  ): Promise<void> {
    for await (const event of gateway.events({ signal })) {
      this.#take(event);
      await ready?.();
    }
  }

  /**
   * Opens the first session.
   *
   * @param setupHint - what to do when no model is set up
   * @throws GatewayError when there is no gateway
   */
  async begin(gateway: Gateway, first: FirstSession, setupHint: string): Promise<void> {
    const { store, controller } = this.#parts;
    try {
      await gateway.ready;
      store.dispatch({ type: "connection", state: { status: "ready" } });
      await controller.open(first);
    } finally {
      controller.begun();
    }
    const { demo } = await controller.request("setup.status", {});
    if (demo) controller.note(`No model is configured: the built-in demo model answers. ${setupHint}`);
    this.#parts.othersChanged?.();
  }

  #take(event: ClientEvent): void {
    const { controller, othersChanged } = this.#parts;
    switch (event.type) {
      case "gateway.reconnecting": {
        const { attempt, reason } = event.payload;
        return this.#connectionIs({ status: "reconnecting", attempt, reason });
      }
      case "gateway.closed":
        return this.#connectionIs({ status: "closed", reason: event.payload.reason });
      case "gateway.reconnected":
        return this.#again(event.payload);
      case "gateway.stderr":
      case "gateway.protocol_error":
        return;
      case "sessions.changed":
        return othersChanged?.();
      default:
        if (controller.concerns(event)) this.#showSoon(event);
    }
  }

  #showSoon(event: GatewayEvent): void {
    const at = momentOf(event, this.#parts.now());
    const last = this.#waiting.at(-1)?.event;
    // Pieces of one text are one text: a flood of them is as cheap as its length.
    if (last?.type === "message.delta" && event.type === "message.delta") {
      const payload = { text: last.payload.text + event.payload.text };
      this.#waiting[this.#waiting.length - 1] = { type: "event", event: { ...event, payload }, at };
    } else this.#waiting.push({ type: "event", event, at });
    this.#timer ??= setTimeout(
      () => this.#flush(),
      Math.max(0, this.#shownAt + FRAME_MS - this.#parts.now()),
    );
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shownAt = this.#parts.now();
    const actions = this.#waiting;
    this.#waiting = [];
    if (actions.length > 0) this.#parts.store.dispatch(...actions);
  }

  #connectionIs(state: ConnectionState): void {
    this.#flush();
    this.#parts.store.dispatch({ type: "connection", state });
  }

  /** The connection is back: what is on the screen stays, what happened meanwhile follows. */
  #again({ attached, lost }: Extract<ClientEvent, { type: "gateway.reconnected" }>["payload"]): void {
    const { store, controller, now } = this.#parts;
    this.#connectionIs({ status: "ready" });
    const shown = attached.find(({ session_id }) => session_id === controller.sessionId);
    if (shown !== undefined)
      return store.dispatch({ type: "attached", attached: shown, at: now(), print: !shown.continued });
    if (lost.some((id) => id === controller.sessionId))
      controller.note(
        "The session is not there any more. /sessions shows the others, /new begins one.",
        "error",
      );
  }
}

/** When an event happened, for who came later. The time for a question begins when it is seen. */
const momentOf = ({ type, at }: GatewayEvent, now: number): number =>
  at === undefined || type.endsWith(".request") ? now : Math.min(now, at * 1000);
