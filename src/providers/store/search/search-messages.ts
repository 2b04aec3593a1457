import type { ErrorRecord } from "../../../shared/errors/host-error.ts";
import type {
  FoundPlace,
  PersonUsage,
  PersonUsageQuery,
  TextQuery,
  UsageQuery,
  UsageReport,
} from "../../../core/index.ts";

/** The settings of a thread that searches. */
export interface SearchSettings {
  readonly home: string;
}

/** A session in which something was found, without its state. */
export interface RawHit {
  readonly id: string;
  readonly place: FoundPlace;
  readonly places: number;
}

/** A page, before its sessions are looked up. */
export interface RawPage {
  readonly hits: readonly RawHit[];
  readonly cursor?: string;
  readonly complete: boolean;
}

/** The work of an index; `ms` bounds the time that reading into it takes. */
export interface SearchOperations {
  /** Reads what is missing in the index; `true` when nothing is missing. */
  catchUp(request: { readonly ms: number }): boolean;
  /** A page, of what is in the index once some of what is missing has been read; it may be empty before the end. */
  search(request: { readonly query: TextQuery; readonly ms: number }): RawPage;
  /** The sums of what is in the index once some of what is missing has been read. */
  usage(request: { readonly query: UsageQuery; readonly ms: number }): UsageReport;
  /** What people used, as `usage`. */
  personUsage(request: { readonly query: PersonUsageQuery; readonly ms: number }): readonly PersonUsage[];
}

/** A keeper of an index: a thread, or this process's memory. */
export interface SearchBackend {
  call<Name extends keyof SearchOperations>(
    name: Name,
    request: Parameters<SearchOperations[Name]>[0],
  ): Promise<ReturnType<SearchOperations[Name]>>;
  close(): Promise<void>;
}

/** A request to the thread. */
export type SearchRequest = {
  readonly [Name in keyof SearchOperations]: {
    readonly id: number;
    readonly name: Name;
    readonly input: Parameters<SearchOperations[Name]>[0];
  };
}[keyof SearchOperations];

/** The reply to a request. */
export type SearchReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };
