/** A search. */
export interface SearchQuery {
  readonly query: string;
  /** Results, at most 20. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A page that a search found. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  /** A few sentences of the page; may be empty. */
  readonly text: string;
  /** When the page was written, in the engine's words. */
  readonly date?: string;
}

/** One way to search the web. */
export interface SearchEngine {
  /** As people know it. */
  readonly name: string;
  /**
   * Best results first.
   *
   * @throws HostError `fetch_failed`, `fetch_refused`, `interrupted`; the message says what to do, and names no key
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
}
