import type { ErrorRecord } from "../../../shared/errors/host-error.ts";
import type { HostFacts, OperationName, StoreEvent } from "../operations.ts";

/** What the thread is started with. */
export interface ThreadData {
  readonly home: string;
  readonly host: HostFacts;
  readonly allowNetworkFileSystem: boolean;
}

/** A request to the thread; `name` and `request` belong together. */
export interface Ask {
  readonly id: number;
  readonly name: OperationName;
  readonly request: unknown;
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };

export type ToThread = { readonly type: "asks"; readonly asks: readonly Ask[] } | { readonly type: "close" };

export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly error: ErrorRecord }
  | { readonly type: "answers"; readonly answers: readonly Answer[] }
  | { readonly type: "events"; readonly events: readonly StoreEvent[] }
  | { readonly type: "closed" };
