import { HostError } from "../../shared/errors/host-error.ts";
import type { KbCallName, KbCalls, KbKeeper, OpenLibrary } from "./messages.ts";

/** Documents in a database that machines share. It is opened with the first call, and nothing of its client is loaded before. */
export class SharedDocuments implements KbKeeper {
  readonly #url: string;
  #opened: Promise<OpenLibrary> | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async call<K extends KbCallName>(
    name: K,
    ...input: Parameters<KbCalls[K]>
  ): Promise<ReturnType<KbCalls[K]>> {
    if (this.#closed) throw new HostError("store_unavailable", "The knowledge base is closed.");
    const opening = (this.#opened ??= this.#open());
    const { library } = await opening.catch((thrown: unknown) => {
      // The next call tries again.
      if (this.#opened === opening) this.#opened = undefined;
      throw thrown;
    });
    // Each name goes with its own input, and answers what the call of that name gives.
    const operation = library[name] as (...given: readonly unknown[]) => Promise<ReturnType<KbCalls[K]>>;
    return await operation.apply(library, input);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #open(): Promise<OpenLibrary> {
    const { openPostgresLibrary } = await import("./postgres/open-library.ts");
    return await openPostgresLibrary(this.#url);
  }
}
