import { GatewayError } from "./gateway-error.ts";

/** The requests that wait for their answers. */
export class PendingRequests {
  readonly #pending = new Map<string, PromiseWithResolvers<unknown>>();
  #last = 0;

  add(): { readonly id: string; readonly answer: Promise<unknown> } {
    const id = `r${(this.#last += 1)}`;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    return { id, answer: pending.promise };
  }

  settle(id: string, answer: { readonly result?: unknown; readonly error?: unknown }): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (answer.error === undefined || answer.error === null) pending?.resolve(answer.result);
    else pending?.reject(errorOf(answer.error));
  }

  /** Nobody waits for this one any more; a late answer is dropped. */
  give(id: string, error: GatewayError): void {
    this.#pending.get(id)?.reject(error);
    this.#pending.delete(id);
  }

  /** The connection is gone, and with it all answers. */
  giveAll(error: GatewayError): void {
    for (const id of this.#pending.keys()) this.give(id, error);
  }
}

function errorOf(error: unknown): GatewayError {
  // An answer of the gateway: its table says what an error is.
  const { code, message, data } = error as { code: number; message: string; data?: Record<string, unknown> };
  return new GatewayError(code, message, data ?? {});
}
