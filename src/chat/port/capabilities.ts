/** The abilities of a platform. The connector does without what it cannot. */
export interface Capabilities {
  /** Messages can be edited: answers stream. */
  readonly edit: boolean;
  /** Messages can have buttons; without them questions are numbered text. */
  readonly buttons: boolean;
  readonly typing: boolean;
  readonly threads: boolean;
  /**
   * What becomes of a message when it is not known whether it was sent, after a crash or a broken connection. `same`: it
   * is sent again, and the platform takes it once, by `once`. `ask`: `Channel.find` looks for it. `mark`: it is sent
   * again and says so. `never`: it is not sent again, and counts as failed.
   */
  readonly resend: "same" | "ask" | "mark" | "never";
}
