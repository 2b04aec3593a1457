import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A call that is not taken, as its sender is told: `{"error": …}`. */
export class Rejected extends Error {
  override readonly name = "Rejected";
  readonly status: ContentfulStatusCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    message: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.status = status;
    this.headers = options.headers ?? {};
  }
}
