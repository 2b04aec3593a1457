import type { ErrorRecord } from "../../../shared/errors/host-error.ts";
import type { HostEntry, StoreEvent, StoreInput, StoreOperationName } from "../operations.ts";

/** The home of a database, and the host that works on it. */
export interface DatabaseSettings {
  readonly home: string;
  readonly host: HostEntry;
  readonly allowNetworkFileSystem: boolean;
}

/** A request to the thread. */
export type OperationRequest = {
  readonly [Name in StoreOperationName]: {
    readonly id: number;
    readonly name: Name;
    readonly input: StoreInput<Name>;
  };
}[StoreOperationName];

/** The response to a request. */
export type OperationResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };

/** A message to the thread. */
export type WorkerInput =
  | { readonly type: "requests"; readonly requests: readonly OperationRequest[] }
  | { readonly type: "close" };

/** A message from the thread. */
export type WorkerOutput =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly error: ErrorRecord }
  | { readonly type: "responses"; readonly responses: readonly OperationResponse[] }
  | { readonly type: "event"; readonly event: StoreEvent };
