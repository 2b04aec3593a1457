import type { Budget } from "./budget.ts";

/** A character that a session speaks in: its words, its model, and what it may use. An absent key leaves all as it is. */
export interface Persona {
  readonly name: string;
  /** Rises with every change of it; absent for one that the configuration has. */
  readonly version?: number;
  readonly instructions: string;
  /** The model of sessions that chose none. */
  readonly provider?: string;
  readonly model?: string;
  /** The only toolsets that its sessions have, of those that they would have anyway. */
  readonly toolsets?: readonly string[];
  /** Names of the only skills that its sessions know. */
  readonly skills?: readonly string[];
  /** Names of the only collections of the knowledge base that its sessions search. */
  readonly collections?: readonly string[];
  /** The most that a session uses, where it has no budget of its own. */
  readonly budget?: Budget;
  /** It is chosen and does not exist: only the limits that it last had hold, or the narrowest where nobody knows them. */
  readonly missing?: true;
}
