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
  | "hasDocuments"
>;

/** The name of a call. */
export type KbCallName = keyof KbCalls;

/** A call on its way to the thread; `close` has no input. */
export type KbRequest = ThreadCall<KbCallName | "close", readonly unknown[]>;

/** A keeper of documents: a thread with the database of this home, or a database that machines share. */
export interface KbKeeper {
  call<K extends KbCallName>(name: K, ...input: Parameters<KbCalls[K]>): Promise<ReturnType<KbCalls[K]>>;
  close(): Promise<void>;
}

/** The operations on documents, wherever they are: in a database of this home, or in one that machines share. */
export type KbOperations = {
  readonly [Name in KbCallName]: (...input: Parameters<KbCalls[Name]>) => Promise<ReturnType<KbCalls[Name]>>;
};

/** A library that was opened. */
export interface OpenLibrary {
  readonly library: KbOperations;
  close(): Promise<void>;
}
