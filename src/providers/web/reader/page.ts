/** A page as text for a model. */
export interface Page {
  readonly title: string;
  /** Markdown, or plain text. */
  readonly text: string;
  /** How much of it this is, when that is not plainly all: `main text`, `3 of 200 pages`. */
  readonly note?: string;
}

/** A document for the reader. */
export type PageRequest =
  | { readonly kind: "html"; readonly html: string; readonly url: string }
  | {
      readonly kind: "pdf";
      readonly bytes: Uint8Array;
      /** One with more is refused; without it as much is read as is kept. */
      readonly mostPages?: number;
    };

/** Characters of one page that are kept: much more than any model reads. */
export const LONGEST_PAGE = 2_000_000;

/** A draft comes first when there is one, in case that the rest is not done in time. */
export type ReaderMessage =
  | { readonly type: "draft" | "page"; readonly page: Page }
  | { readonly type: "failed"; readonly reason: string };
