import type { BlobRef } from "../../core/index.ts";

/** An image that goes along with the next prompt. */
export interface PromptImage {
  /** What its client knows it by. */
  readonly path: string;
  readonly name: string;
  readonly blob: BlobRef;
  readonly mediaType: string;
  readonly size?: { readonly width: number; readonly height: number };
}
