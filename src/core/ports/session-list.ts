import type { Platform } from "../events/prompt.ts";

/** The state of a session that lists select by: a turn runs, a question is open, the budget is used up. */
export type SessionDoing = "working" | "asking" | "parked";

/** The choice of sessions for a list; the newest activity comes first. */
export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly source?: string;
  readonly platform?: Platform;
  readonly cwd?: string;
  readonly title?: string;
  /** Only sessions whose id begins so, or whose id has a last part after its time that does. */
  readonly idPart?: string;
  /** Only sessions whose title or preview contains this text, in any case. */
  readonly search?: string;
  /** Subagents' sessions too: those that were created, not branched, with a parent. */
  readonly includeChildren?: boolean;
  /** Sessions marked hidden (stateless calls) too. */
  readonly includeHidden?: boolean;
  /** Sessions without a single prompt too; one that somebody gave a title is no such. */
  readonly includeEmpty?: boolean;
  /** Archived sessions too, or only those; left out by default. */
  readonly archived?: "include" | "only";
  /** Only sessions in which nothing has happened since, Unix milliseconds. */
  readonly activeBefore?: number;
  /** Only sessions without a turn whose queue holds a prompt that could run. */
  readonly waiting?: boolean;
  /** Only sessions that no process drives. */
  readonly unowned?: boolean;
  /** Only sessions in this state; `working` ones whose owner died are among those. */
  readonly doing?: SessionDoing;
  /** Only sessions to which this one wrote, as `personName` names them. */
  readonly person?: string;
  /** Only sessions of this user. */
  readonly user?: string;
  /** Only sessions that come after this one in the list. */
  readonly below?: { readonly activeAt: number; readonly id: string };
}

/** The choice of sessions that a search looks through, as lists make it. */
export type SessionFilter = Pick<
  ListQuery,
  | "source"
  | "platform"
  | "cwd"
  | "doing"
  | "person"
  | "user"
  | "includeChildren"
  | "includeHidden"
  | "includeEmpty"
  | "archived"
>;
