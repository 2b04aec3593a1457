import { errorRecord, toHostError } from "../../../shared/errors/host-error.ts";
import { checkpointLog } from "./log-checkpoint.ts";
import { isLost, openIndex, removeIndex } from "./open-index.ts";
import { IndexSearcher } from "./searcher.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SearchReply, SearchRequest, SearchSettings } from "./search-messages.ts";

/** The server of a home's searches, on an index that is opened with the first and made anew when it is damaged. */
export class SearchService {
  readonly #home: string;
  #index: SearchIndex | undefined;

  constructor({ home }: SearchSettings) {
    this.#home = home;
  }

  answer(request: SearchRequest): SearchReply {
    try {
      return { id: request.id, value: this.#perform(request) };
    } catch (thrown) {
      if (!isLost(thrown)) return { id: request.id, error: errorRecord(toHostError(thrown)) };
    }
    try {
      this.close();
      removeIndex(this.#home);
      return { id: request.id, value: this.#perform(request) };
    } catch (thrown) {
      return { id: request.id, error: errorRecord(toHostError(thrown, "store_corrupt")) };
    }
  }

  close(): void {
    this.#index?.database.close();
    this.#index = undefined;
  }

  #perform(request: SearchRequest): unknown {
    this.#index ??= openIndex(this.#home);
    const searcher = new IndexSearcher(this.#index);
    switch (request.name) {
      case "search":
        return searcher.search(request.input);
      case "usage":
        return searcher.usage(request.input);
      case "personUsage":
        return searcher.personUsage(request.input);
      case "catchUp": {
        const isDone = searcher.catchUp(request.input);
        if (isDone) checkpointLog(this.#home);
        return isDone;
      }
    }
  }
}
