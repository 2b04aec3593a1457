/** Characters of one event or document; no reply is longer. */
export const LARGEST_DOCUMENT = 16 * 2 ** 20;

/** The error for an endpoint that sends more than any reply is long. */
export class ResponseTooLarge extends Error {
  constructor(options?: ErrorOptions) {
    super("The response is larger than any reply.", options);
  }
}
