import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { KbLibrary } from "./library.ts";

/** The settings of the thread that has the database. */
export interface KbThreadSettings {
  readonly home: string;
}

/** The operations of the library that its thread offers. */
export type KbCalls = Pick<
  KbLibrary,
  "begin" | "finish" | "fail" | "remove" | "documents" | "collections" | "search" | "passage"
>;

/** The name of a call. */
export type KbCallName = keyof KbCalls;

/** A call on its way to the thread. */
export interface KbRequest {
  readonly id: number;
  readonly name: KbCallName;
  readonly input: readonly unknown[];
}

/** Its answer. */
export type KbAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };
