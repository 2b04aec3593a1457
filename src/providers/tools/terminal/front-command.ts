import { Signal } from "../../../shared/async/signal.ts";
import { BoundedOutput } from "../spawn/bounded-output.ts";
import type { SpawnedChild } from "../spawn/child.ts";
import { KEPT_OUTPUT } from "./background-process.ts";

/** A command that somebody waits for, as its waiter names it. */
export interface FrontRequest {
  readonly session: string;
  /** The id of the call, or of the stream, that waits. */
  readonly key: string;
  readonly command: string;
}

/** A command that somebody waits for. While it runs it can go on in the background instead. */
export class FrontCommand implements Disposable {
  readonly request: FrontRequest;
  readonly startedAt: number;
  readonly output = new BoundedOutput(KEPT_OUTPUT);
  /** Rings when there is more output. */
  readonly bell = new Signal();
  readonly #moved = new AbortController();
  readonly #over: () => void;
  readonly #started = Promise.withResolvers<SpawnedChild | undefined>();
  #id: string | undefined;

  constructor(request: FrontRequest, options: { readonly startedAt: number; readonly over: () => void }) {
    this.request = request;
    this.startedAt = options.startedAt;
    this.#over = options.over;
  }

  /** The process, once it runs; `undefined` when it does not come to that. It may have printed something before. */
  get started(): Promise<SpawnedChild | undefined> {
    return this.#started.promise;
  }

  /** Its id in the background, once it is there. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Aborts when it goes on in the background. */
  get moved(): AbortSignal {
    return this.#moved.signal;
  }

  /** A signal that ends the command with another one, as long as somebody waits for it. */
  lifeOf(signal: AbortSignal): AbortSignal {
    const life = new AbortController();
    const stop = (): void => life.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: this.moved });
    return life.signal;
  }

  take(chunk: Uint8Array): void {
    this.output.append(chunk);
    this.bell.notify();
  }

  began(child: SpawnedChild): void {
    this.#started.resolve(child);
  }

  /** Nobody waits for it from now on. */
  move(id: string): void {
    this.#id = id;
    this.#moved.abort();
  }

  [Symbol.dispose](): void {
    this.#started.resolve(undefined);
    this.#over();
  }
}
