/** A server-sent event: its name (`message` when it has none) and its data, lines joined. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** An endpoint sent more than any reply is long. */
export class ResponseTooLarge extends Error {}

/** Characters of one event or document. */
export const LARGEST_DOCUMENT = 16 * 2 ** 20;

/**
 * Decodes server-sent events from text that arrives in pieces of any size. Lines end in LF, CR LF or CR; comments,
 * ids and unknown fields are skipped. An event without data is none.
 */
export class EventStreamDecoder {
  #events: ServerEvent[] = [];
  /** The line that is not complete yet. */
  #line = "";
  #data: string | undefined;
  #name = "";
  /** The last character was a CR: a LF that follows belongs to it. */
  #afterCr = false;

  /**
   * Returns the events that this piece completed.
   *
   * @throws TooLarge when an event has more than `LARGEST_DOCUMENT` characters
   */
  push(text: string): readonly ServerEvent[] {
    if (text === "") return [];
    let start = this.#afterCr && text.startsWith("\n") ? 1 : 0;
    let cr = text.indexOf("\r", start);
    let lf = text.indexOf("\n", start);
    while (cr >= 0 || lf >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      const rest = text.slice(start, end);
      this.#endLine(this.#line === "" ? rest : this.#line + rest);
      this.#line = "";
      start = end + (lf === cr + 1 && end === cr ? 2 : 1);
      if (cr >= 0 && cr < start) cr = text.indexOf("\r", start);
      if (lf < start) lf = text.indexOf("\n", start);
    }
    this.#afterCr = text.endsWith("\r");
    if (start < text.length) this.#line += text.slice(start);
    this.#check(this.#line.length + (this.#data?.length ?? 0));
    return this.#take();
  }

  /** The stream is over. Its last event counts even when the empty line after it is missing. */
  end(): readonly ServerEvent[] {
    if (this.#line !== "") this.#endLine(this.#line);
    this.#line = "";
    this.#endEvent();
    return this.#take();
  }

  #take(): readonly ServerEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #endLine(line: string): void {
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    else {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#check(this.#data.length);
    }
  }

  #endEvent(): void {
    if (this.#data !== undefined) {
      this.#events.push({ name: this.#name === "" ? "message" : this.#name, data: this.#data });
    }
    this.#data = undefined;
    this.#name = "";
  }

  #check(size: number): void {
    if (size > LARGEST_DOCUMENT) throw new ResponseTooLarge();
  }
}
