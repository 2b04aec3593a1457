/** The person whose budget a model call is taken from. */
export interface BudgetPayer {
  /** The user whose session it is. */
  readonly user?: string;
  /** Whose prompt it answers, as `personName` says. */
  readonly person: string;
}

/** The budgets of people, beside those of sessions. */
export interface PeopleBudgets {
  /**
   * Lets a person make their next model call; `undefined` where no budget can hold, so that nobody waits.
   *
   * @throws HostError `budget_exceeded` saying whose budget it is, how much of it is used, and until when; the turn is parked
   */
  admit(payer: BudgetPayer): Promise<void> | undefined;
}
