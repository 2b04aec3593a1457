/** Who answers a call, as messages speak of it. */
export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  /** What to do when the key is refused. */
  readonly keyRemedy: string;
  /** What no message may repeat, should the endpoint do it. */
  readonly secrets: readonly string[];
}
