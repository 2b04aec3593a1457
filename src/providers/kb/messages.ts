import type { ThreadCall } from "../../shared/threads/calling-thread.ts";
import type { KbLibrary } from "./library.ts";

/** The settings of the thread that has the database. */
export interface KbThreadSettings {
  readonly home: string;
}

/** The operations of the library that its thread offers. */
export type KbCalls = Pick<
  KbLibrary,
  | "begin"
  | "finish"
  | "fail"
  | "breakOff"
  | "remove"
  | "known"
  | "documents"
  | "document"
  | "outline"
  | "collections"
  | "search"
  | "passage"
  | "check"
>;

/** The name of a call. */
export type KbCallName = keyof KbCalls;

/** A call on its way to the thread; `close` has no input. */
export type KbRequest = ThreadCall<KbCallName | "close", readonly unknown[]>;
