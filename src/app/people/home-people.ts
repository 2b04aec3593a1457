import type { Personas, Store } from "../../core/index.ts";
import {
  type HomeOwner,
  memoryScopeOfUser,
  PersonalBudgets,
  Roster,
  type User,
  userName,
} from "../../people/roster/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { defined } from "../../shared/json/defined.ts";
import type { UserOfSender } from "../usage/daily-usage.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { timeZone } from "../config/timezone.ts";

/** The people of a home. */
export interface HomePeople {
  readonly roster: Roster;
  readonly budgets: PersonalBudgets;
  readonly owner: HomeOwner;
  /** The memory of a user, on every surface. */
  scopeOf(user: Pick<User, "id" | "mobile">): string | undefined;
  /** Finds the user, by all names that they go by in reports. */
  userOfSender(): Promise<UserOfSender>;
}

/** Opens the people of a home, as its settings and records have them. */
export function homePeople(
  store: Pick<Store, "records" | "personUsage">,
  live: Pick<LiveSettings, "current">,
  { clock, personas }: { readonly clock: Clock; readonly personas?: Personas },
): HomePeople {
  const roster = new Roster(store.records, { clock, hex: randomHex, ...defined({ personas }) });
  const owner = ownerOf(roster, () => live.current.blocks.people?.owner);
  const budgets = new PersonalBudgets({
    roster,
    owner,
    clock,
    usage: (query) => store.personUsage(query),
    zone: () => timeZone(live.current),
  });
  return {
    roster,
    budgets,
    owner,
    scopeOf: (user) => memoryScopeOfUser(user, owner.is(user)),
    async userOfSender() {
      const users = await roster.list();
      const named = users.flatMap((user) =>
        budgets.namesOf(user).map((name) => [name, { key: userName(user), name: user.name }] as const),
      );
      const byName = new Map(named);
      return (name) => byName.get(name);
    },
  };
}

/** @param named - an id or a mobile number */
function ownerOf(roster: Roster, named: () => string | undefined): HomeOwner {
  return {
    get isNamed() {
      return named() !== undefined;
    },
    is: ({ id, mobile }) => {
      const owner = named();
      if (owner?.startsWith("+") !== true) return owner === id;
      // The zero in brackets is dialled at home only.
      return owner.replaceAll(/\(0\)|[^\d+]/g, "") === mobile;
    },
    async find() {
      const owner = named();
      if (owner === undefined) return undefined;
      return await (owner.startsWith("u_") ? roster.find(owner) : roster.byMobile(owner));
    },
  };
}
