import type { Clock } from "../../shared/async/clock.ts";
import type { Page } from "./reader/page.ts";

/** A page with the address that answered. */
export interface ReadPage extends Page {
  readonly url: string;
}

/** Milliseconds after which a page is fetched again. */
const KEPT_MS = 10 * 60_000;
/** Characters of all pages together. */
const ROOM = 4_000_000;

/** A cache of the pages that were read lately. Reading on in a page shows the same page and asks its server once. */
export class PageCache {
  readonly #clock: Clock;
  readonly #pages = new Map<string, { readonly page: ReadPage; readonly at: number }>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): ReadPage | undefined {
    const kept = this.#pages.get(key);
    return kept === undefined || this.#clock.monotonic() - kept.at > KEPT_MS ? undefined : kept.page;
  }

  put(key: string, page: ReadPage): void {
    this.#drop(key);
    this.#pages.set(key, { page, at: this.#clock.monotonic() });
    this.#size += page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#size <= ROOM) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#pages.get(key)?.page.text.length ?? 0;
    this.#pages.delete(key);
  }
}
