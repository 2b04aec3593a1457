import type { Past } from "../../../core/index.ts";

/** A session as a file tells of it: its past, and what it was called, who answered and where it worked. */
export interface Imported {
  readonly past: Past;
  readonly title?: string;
  readonly model?: { readonly provider: string; readonly model: string };
  readonly cwd?: string;
  /** It has read something secret. */
  readonly sensitive?: true;
}

/** One value of a file, and the line on which it stands. */
export interface FileValue {
  readonly line: number;
  readonly value: unknown;
}
