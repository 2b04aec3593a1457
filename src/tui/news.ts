import type { ClientEvent, ConnectionState, Gateway } from "./gateway.ts";
import { Pump } from "./pump.ts";
import type { FirstSession, SessionDesk } from "./session-desk.ts";
import type { Store } from "./store.ts";

export interface NewsParts {
  readonly store: Store;
  readonly desk: SessionDesk;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Something about other sessions has changed. */
  readonly othersChanged?: () => void;
}

/** Brings what a gateway tells into the view: of the connection, and of the session that is shown. */
export class News {
  readonly #parts: NewsParts;
  readonly #pump: Pump;

  constructor(parts: NewsParts) {
    this.#parts = parts;
    this.#pump = new Pump(parts.store, parts.now);
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
    const { store, desk } = this.#parts;
    try {
      await gateway.ready;
      store.dispatch({ type: "connection", state: { status: "ready" } });
      await desk.open(first);
    } finally {
      desk.begun();
    }
    const { demo } = await desk.request("setup.status", {});
    if (demo) desk.note(`No model is configured: the built-in demo model answers. ${setupHint}`);
    this.#parts.othersChanged?.();
  }

  /** Shows what is waiting for the next frame, now. */
  flush(): void {
    this.#pump.flush();
  }

  #take(event: ClientEvent): void {
    const { store, desk, othersChanged } = this.#parts;
    switch (event.type) {
      case "gateway.reconnecting":
      case "gateway.closed":
        this.#pump.flush();
        return store.dispatch({ type: "connection", state: connectionOf(event) });
      case "gateway.reconnected":
        this.#pump.flush();
        return this.#again(event.payload);
      case "gateway.stderr":
      case "gateway.protocol_error":
        return;
      case "sessions.changed":
        return othersChanged?.();
      default:
        if (desk.concerns(event)) this.#pump.take(event);
    }
  }

  /** The connection is back: what is on the screen stays, what happened meanwhile follows. */
  #again({ attached, lost }: Extract<ClientEvent, { type: "gateway.reconnected" }>["payload"]): void {
    const { store, desk, now } = this.#parts;
    store.dispatch({ type: "connection", state: { status: "ready" } });
    const shown = attached.find(({ session_id }) => session_id === desk.sessionId);
    if (shown !== undefined)
      return store.dispatch({ type: "attached", attached: shown, at: now(), print: !shown.continued });
    if (lost.some((id) => id === desk.sessionId))
      desk.note("The session is not there any more. /sessions shows the others, /new begins one.", "error");
  }
}

function connectionOf(
  event: Extract<ClientEvent, { type: "gateway.reconnecting" | "gateway.closed" }>,
): ConnectionState {
  const { reason } = event.payload;
  if (event.type === "gateway.closed") return { status: "closed", reason };
  return { status: "reconnecting", attempt: event.payload.attempt, reason };
}
