/** A member as far as the app knows one. */
export interface Member {
  /** Their id on the roster. */
  readonly id: string;
  readonly name: string;
  readonly disabled?: true | undefined;
}

/** The roster as the app asks it. */
export interface Members {
  /** @param mobile - E.164 */
  byMobile(mobile: string): Promise<Member | undefined>;
  byId(id: string): Promise<Member | undefined>;
  /** Whether there is nobody: a home without users has no app. */
  isEmpty(): Promise<boolean>;
}
