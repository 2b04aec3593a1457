import type { ErrorRecord } from "../../../shared/errors/host-error.ts";
import type { HostEntry, StoreOperationName, StoreEvent } from "../operations.ts";

/** What the thread is started with. */
export interface WorkerSettings {
  readonly home: string;
  readonly host: HostEntry;
  readonly allowNetworkFileSystem: boolean;
}

/** A request to the thread; `name` and `request` belong together. */
export interface OperationRequest {
  readonly id: number;
  readonly name: StoreOperationName;
  readonly request: unknown;
}

export type OperationResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };

export type WorkerInput =
  | { readonly type: "asks"; readonly asks: readonly OperationRequest[] }
  | { readonly type: "close" };

export type WorkerOutput =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly error: ErrorRecord }
  | { readonly type: "answers"; readonly answers: readonly OperationResponse[] }
  | { readonly type: "events"; readonly events: readonly StoreEvent[] }
  | { readonly type: "closed" };
