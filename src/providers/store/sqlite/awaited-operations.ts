import { withCallerFrames } from "../../../shared/errors/caller-frames.ts";
import { fromErrorRecord, type HostError } from "../../../shared/errors/host-error.ts";
import type { StoreInput, StoreOperationName, StoreOperations } from "../operations.ts";
import type { OperationRequest, OperationResponse } from "./worker-messages.ts";

/** The requests of a backend that wait for their responses, and those that are still to be sent. */
export class AwaitedOperations {
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  /** Those who wait for what is written, by the id of their request. */
  readonly #listeners = new Map<number, (response: never) => void>();
  #unsent: OperationRequest[] = [];
  #lastId = 0;

  get count(): number {
    return this.#pending.size;
  }

  get unsent(): number {
    return this.#unsent.length;
  }

  add<Name extends StoreOperationName>(
    name: Name,
    input: StoreInput<Name>,
    written?: (response: ReturnType<StoreOperations[Name]>) => void,
  ): Promise<ReturnType<StoreOperations[Name]>> {
    this.#lastId += 1;
    if (written !== undefined) this.#listeners.set(this.#lastId, written);
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(this.#lastId, pending);
    this.#unsent.push({ id: this.#lastId, name, input } as OperationRequest);
    // The response to an operation is what the operation of that name returns.
    return withCallerFrames(pending.promise) as Promise<never>;
  }

  /** Those to be sent, which are sent now. */
  takeUnsent(): readonly OperationRequest[] {
    const requests = this.#unsent;
    this.#unsent = [];
    return requests;
  }

  /** Tells those who listen what their requests have led to. */
  written(responses: readonly OperationResponse[]): void {
    for (const response of responses)
      // The response to an operation is what the operation of that name returns.
      if ("value" in response) this.#listeners.get(response.id)?.(response.value as never);
  }

  settle(responses: readonly OperationResponse[]): void {
    for (const response of responses) {
      const pending = this.#pending.get(response.id);
      this.#pending.delete(response.id);
      this.#listeners.delete(response.id);
      if ("error" in response) pending?.reject(fromErrorRecord(response.error));
      else pending?.resolve(response.value);
    }
  }

  /** Fails all that wait; without a reason nobody ever hears of them. */
  drop(reason?: HostError): void {
    for (const { reject } of this.#pending.values()) if (reason !== undefined) reject(reason);
    this.#pending.clear();
    this.#listeners.clear();
    this.#unsent = [];
  }
}
