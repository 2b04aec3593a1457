import {
  type BudgetPayer,
  budgetSubject,
  type Clock,
  countedTokens,
  type PeopleBudgets,
  type PersonUsage,
  type Store,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { groupDigits } from "../../shared/text/format.ts";
import { isoInZone, type Month, monthAt } from "../../shared/text/zoned-time.ts";
import type { Roster } from "./roster.ts";
import { type User, userName } from "./user.ts";

/** A call is not to wait for the roster when another one just did. */
const LOOK_EVERY_MS = 1000;

/** The ports of `PersonalBudgets`. */
export interface PersonalBudgetsPorts {
  readonly roster: Pick<Roster, "find">;
  readonly usage: Store["personUsage"];
  readonly clock: Clock;
  /** The home's time zone, as it is now. */
  readonly zone: () => string;
  /** The user at the terminal. */
  readonly owner: HomeOwner;
}

/** The one of the users who sits at the terminal. */
export interface HomeOwner {
  /** One is named in the configuration; they may not be on the roster. */
  readonly isNamed: boolean;
  is(user: Pick<User, "id" | "mobile">): boolean;
  find(): Promise<User | undefined>;
}

/** The usage of a user in the present month. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

const NOTHING: Spent = { tokens: 0, cost: 0 };

/** The budgets of the people on the roster, for a calendar month of the home's time zone. */
export class PersonalBudgets implements PeopleBudgets {
  readonly #ports: PersonalBudgetsPorts;
  readonly #looks = new Map<string, { readonly at: number; readonly user: Promise<User | undefined> }>();

  constructor(ports: PersonalBudgetsPorts) {
    this.#ports = ports;
  }

  admit({ user, person }: BudgetPayer): Promise<void> | undefined {
    const id = user ?? userIn(person);
    if (id !== undefined) return this.#check(id);
    return person === OWNER && this.#ports.owner.isNamed ? this.#check(OWNER) : undefined;
  }

  /** What is known of users is looked up anew: somebody changed them. */
  forget(): void {
    this.#looks.clear();
  }

  /** The present month. */
  get month(): Month {
    return monthAt(this.#ports.clock.now(), this.#ports.zone());
  }

  /** What users used in the present month, on every surface, by their ids. */
  async spentBy(users: readonly User[]): Promise<ReadonlyMap<string, Spent>> {
    const { since, until } = this.month;
    const names = users.length === 1 ? users.flatMap((user) => this.namesOf(user)) : undefined;
    const used = await this.#ports.usage({ since, until, ...(names === undefined ? {} : { names }) });
    const byName = new Map(used.map((each) => [each.name, each]));
    return new Map(
      users.map((user) => [
        user.id,
        this.namesOf(user).reduce((sum, name) => add(sum, byName.get(name)), NOTHING),
      ]),
    );
  }

  async #check(id: string): Promise<void> {
    const user = await this.#userOf(id);
    if (user?.budget === undefined) return;
    const spent = (await this.spentBy([user])).get(user.id) ?? NOTHING;
    const what = exceededPart(spent, user.budget);
    if (what !== undefined) throw this.#exceeded(user, what);
  }

  /** Their user as they were within the last second. */
  #userOf(id: string): Promise<User | undefined> {
    const now = this.#ports.clock.monotonic();
    const last = this.#looks.get(id);
    if (last !== undefined && now - last.at < LOOK_EVERY_MS) return last.user;
    if (this.#looks.size > MOST_LOOKS) this.#looks.clear();
    const { roster, owner } = this.#ports;
    const user = id === OWNER ? owner.find() : roster.find(id);
    this.#looks.set(id, { at: now, user });
    user.catch(() => this.#looks.delete(id));
    return user;
  }

  /** The names under which what a user does is added up. */
  namesOf(user: User): readonly string[] {
    return [userName(user), ...user.identities, ...(this.#ports.owner.is(user) ? [OWNER] : [])];
  }

  #exceeded({ id, name }: User, { used, flag }: ExceededPart): HostError {
    const { until, name: month } = this.month;
    const zone = this.#ports.zone();
    const day = isoInZone(until, zone).slice(0, 10);
    return new HostError(
      "budget_exceeded",
      `${name} has used ${used} of ${month}, and the turn stopped there. Nothing is lost: it goes on when an operator raises the budget, on the dashboard's page Users or with \`agent users edit ${id} ${flag}\`. A new month begins on ${day} at 00:00 (${zone}); then send a prompt.`,
      { details: { subject: budgetSubject(id) } },
    );
  }
}

const OWNER = "owner";
const MOST_LOOKS = 10_000;

/** The user whom `personName` names. */
const userIn = (person: string): string | undefined => /^user:(\S+)$/.exec(person)?.[1];

const add = (sum: Spent, usage: PersonUsage | undefined): Spent =>
  usage === undefined ? sum : { tokens: sum.tokens + countedTokens(usage), cost: sum.cost + usage.cost };

interface ExceededPart {
  /** `2,100 of the 2,000 tokens`. */
  readonly used: string;
  /** The flag that raises it, with twice as much. */
  readonly flag: string;
}

function exceededPart(spent: Spent, { tokens, cost }: NonNullable<User["budget"]>): ExceededPart | undefined {
  if (tokens !== undefined && spent.tokens >= tokens)
    return {
      used: `${groupDigits(spent.tokens)} of the ${groupDigits(tokens)} tokens`,
      flag: `--budget-tokens ${2 * tokens}`,
    };
  if (cost !== undefined && spent.cost >= cost)
    return {
      used: `$${spent.cost.toFixed(2)} of the $${cost.toFixed(2)}`,
      flag: `--budget-cost ${2 * cost}`,
    };
  return undefined;
}
