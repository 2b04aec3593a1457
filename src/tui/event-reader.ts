import type { ClientEvent, ConnectionState, Gateway } from "./gateway.ts";
import { EventBatcher } from "./event-batcher.ts";
import type { FirstSession, SessionController } from "./session-controller.ts";
import type { ViewStore } from "./view-store.ts";

/** The parts that an event reader brings together. */
export interface EventReaderParts {
  readonly store: ViewStore;
  readonly controller: SessionController;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Something about other sessions has changed. */
  readonly othersChanged?: () => void;
}

/** A reader of the gateway's events. It passes those of the connection and of the shown session to the view. */
export class EventReader {
  readonly #parts: EventReaderParts;
  readonly #batcher: EventBatcher;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
    this.#batcher = new EventBatcher(parts.store, parts.now);
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

  /** Shows what is waiting for the next frame, now. */
  flush(): void {
    this.#batcher.flush();
  }

  #take(event: ClientEvent): void {
    const { store, controller, othersChanged } = this.#parts;
    switch (event.type) {
      case "gateway.reconnecting":
      case "gateway.closed":
        this.#batcher.flush();
        return store.dispatch({ type: "connection", state: connectionOf(event) });
      case "gateway.reconnected":
        this.#batcher.flush();
        return this.#again(event.payload);
      case "gateway.stderr":
      case "gateway.protocol_error":
        return;
      case "sessions.changed":
        return othersChanged?.();
      default:
        if (controller.concerns(event)) this.#batcher.take(event);
    }
  }

  /** The connection is back: what is on the screen stays, what happened meanwhile follows. */
  #again({ attached, lost }: Extract<ClientEvent, { type: "gateway.reconnected" }>["payload"]): void {
    const { store, controller, now } = this.#parts;
    store.dispatch({ type: "connection", state: { status: "ready" } });
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

function connectionOf(
  event: Extract<ClientEvent, { type: "gateway.reconnecting" | "gateway.closed" }>,
): ConnectionState {
  const { reason } = event.payload;
  if (event.type === "gateway.closed") return { status: "closed", reason };
  return { status: "reconnecting", attempt: event.payload.attempt, reason };
}
