interface ShownEvent {
  readonly type: string;
  readonly session_id?: string;
  readonly seq?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever it expects to be there
  readonly payload: any;
}

/**
 * What the newer public client shows of the events that it gets: live ones always, those of a replay and those that came
 * meanwhile only when their number is greater than the last; events without a number always.
 */
export class NewerClient {
  readonly #shown: ShownEvent[] = [];
  readonly #last = new Map<string, number>();

  lastSeen(session: string): number {
    return this.#last.get(session) ?? 0;
  }

  live(event: ShownEvent): void {
    const { session_id = "", seq = 0 } = event;
    if (session_id !== "" && seq > this.lastSeen(session_id)) this.#last.set(session_id, seq);
    this.#shown.push(event);
  }

  ifNewer(event: ShownEvent): void {
    const { session_id = "", seq } = event;
    if (session_id !== "" && seq !== undefined && seq <= this.lastSeen(session_id)) return;
    this.live(event);
  }

  /** The events of these types, in the order in which they were shown. */
  types(wanted: readonly string[]): readonly string[] {
    return this.#shown.flatMap(({ type }) => (wanted.includes(type) ? [type] : []));
  }

  text(): string {
    return this.#shown
      .flatMap(({ type, payload }) => (type === "message.delta" ? [payload.text] : []))
      .join("");
  }
}
