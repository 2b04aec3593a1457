import type { ChangeMark, Checkpoints, FilePast, FileRestore, PlannedChange } from "../../core/index.ts";
import type { ThreadCall } from "../../shared/threads/calling-thread.ts";

/** The settings of the thread, as it gets them. */
export interface ThreadSettings {
  readonly home: string;
  readonly apart: readonly string[];
  readonly maxBytes: number;
  readonly personHome: string;
  readonly platform: string;
  readonly pid: number;
  /** Milliseconds that a command waits for the first look at its workspace at most. */
  readonly patienceMs: number;
}

/** The calls of the thread by name: what goes in, and what comes back. */
export interface ThreadCalls {
  readonly prepare: { readonly input: readonly string[]; readonly value: null };
  readonly before: {
    readonly input: { readonly change: PlannedChange; readonly running: readonly string[] };
    readonly value: ChangeMark;
  };
  readonly after: {
    readonly input: { readonly mark: ChangeMark; readonly goesOn: boolean };
    readonly value: null;
  };
  readonly turns: { readonly input: string; readonly value: Awaited<ReturnType<Checkpoints["turns"]>> };
  readonly diff: {
    readonly input: { readonly past: FilePast; readonly limit: number };
    readonly value: string;
  };
  readonly preview: {
    readonly input: FileRestore;
    readonly value: Awaited<ReturnType<Checkpoints["preview"]>>;
  };
  readonly restore: {
    readonly input: FileRestore;
    readonly value: Awaited<ReturnType<Checkpoints["restore"]>>;
  };
  readonly copy: {
    readonly input: { readonly from: string; readonly to: string; readonly upTo: number };
    readonly value: null;
  };
  readonly forget: { readonly input: string; readonly value: null };
  readonly close: { readonly input: null; readonly value: null };
}

/** The name of a call. */
export type CallName = keyof ThreadCalls;

/** A call on its way to the thread. */
export type ThreadRequest<K extends CallName = CallName> = ThreadCall<K, ThreadCalls[K]["input"]>;
