/** The choice of what is added up. */
export interface UsageQuery {
  /** Moments that rise, Unix milliseconds: each part of the report reaches from one of them to the next. */
  readonly bounds: readonly number[];
}

/** Sums over some turns and their model calls. */
export interface UsageSums {
  readonly sessions: number;
  readonly turns: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  /** US dollars of the calls whose price is known. */
  readonly cost: number;
  /** Calls whose price is not known. */
  readonly unpriced: number;
}

/** The times that something took, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  /** 95 of 100 took no longer. */
  readonly late: number;
}

/** The usage of a stretch of time. A turn counts where it began. */
export interface UsagePart extends UsageSums {
  /** Unix milliseconds. */
  readonly since: number;
  /** From a prompt to the end of its answer, the waiting for people left out; absent when none was answered. */
  readonly answers?: Spread;
  /** Questions that people were asked. */
  readonly questions: number;
  /** Until they were answered; absent when none was. */
  readonly waits?: Spread;
}

/** The usage of one of a kind: a model, a person. */
export interface NamedUsage extends UsageSums {
  readonly name: string;
}

/** The usage of a home, added up in several ways. Subagents count to the session that they work for. */
export interface UsageReport {
  readonly total: UsagePart;
  /** In the order of the query. */
  readonly parts: readonly UsagePart[];
  /** As `provider:model`. Those with the most tokens come first, here and below. */
  readonly models: readonly NamedUsage[];
  /** As `originWords` says them. */
  readonly surfaces: readonly NamedUsage[];
  readonly folders: readonly NamedUsage[];
  /** As `personName` names them. */
  readonly people: readonly NamedUsage[];
  /** The persona that answered; an empty name where none did. */
  readonly personas: readonly NamedUsage[];
  /** Sessions of which a part cannot be read. */
  readonly damaged: number;
  /** All that ever happened was added up. */
  readonly complete: boolean;
}

/** The choice of what people used: in a stretch of time, whatever was deleted since among it. */
export interface PersonUsageQuery {
  /** Names as `personName` gives them; all by default. */
  readonly names?: readonly string[];
  /** Unix milliseconds; a turn counts where it began. */
  readonly since: number;
  /** Unix milliseconds, itself left out. */
  readonly until: number;
}

/** The usage of one person, as budgets count it. */
export interface PersonUsage extends Pick<UsageSums, "calls" | "input" | "output" | "cacheRead" | "cost"> {
  readonly name: string;
}
