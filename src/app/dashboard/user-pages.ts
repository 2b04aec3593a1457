import type { ChangedBy, UserImport, UserRow, UsersPort } from "../../dashboard/index.ts";
import { planImport, rosterFile, type Spent, type User } from "../../people/roster/index.ts";
import type { Agent } from "../compose.ts";
import { peopleChanges } from "../people/people-changes.ts";

/** The users of a home, for the dashboard. */
export function userPages(agent: Agent): UsersPort {
  const { roster, budgets, owner } = agent.people;
  const rowsOf = async (users: readonly User[]): Promise<readonly UserRow[]> => {
    const spent = await budgets.spentBy(users);
    return users.map((user) => rowOf(user, { spent: spent.get(user.id), isOwner: owner.is(user) }));
  };
  const row = async (user: User): Promise<UserRow> => {
    const spent = await budgets.spentBy([user]);
    return rowOf(user, { spent: spent.get(user.id), isOwner: owner.is(user) });
  };
  return {
    async list() {
      const { name, until } = budgets.month;
      return { users: await rowsOf(await roster.list()), month: { name, until: until / 1000 } };
    },
    get: async (id) => await row(await roster.require(id)),
    csv: async () => rosterFile(await roster.list()),
    async preview(csv) {
      const { taken, refused } = await planImport(roster, csv);
      const lines = (isNew: boolean) =>
        taken
          .filter(({ known }) => (known === undefined) === isNew)
          .map(({ line, name }) => ({ line, name }));
      return { added: lines(true), changed: lines(false), refused: [...refused] };
    },
    changes: (by) => changesBy(agent, by, row),
  };
}

function changesBy(
  agent: Agent,
  by: ChangedBy,
  row: (user: User) => Promise<UserRow>,
): ReturnType<UsersPort["changes"]> {
  const changes = peopleChanges(agent, by);
  return {
    add: async (user) => await row(await changes.add(user)),
    change: async (id, change) => await row(await changes.change(id, change)),
    remove: async (id) => void (await changes.remove(id)),
    link: async (id, identity) => await row(await changes.link(id, identity)),
    unlink: async (id, identity) => await row(await changes.unlink(id, identity)),
    endSessions: async (id) => void (await changes.endSessions(id)),
    async importFile(csv): Promise<UserImport> {
      const { added, changed, refused } = await changes.importFile(csv);
      const lines = (taken: readonly { readonly line: number; readonly after: User }[]) =>
        taken.map(({ line, after: { name } }) => ({ line, name }));
      return { added: lines(added), changed: lines(changed), refused: [...refused] };
    },
  };
}

const rowOf = (
  user: User,
  { spent, isOwner }: { readonly spent: Spent | undefined; readonly isOwner: boolean },
): UserRow => ({
  id: user.id,
  name: user.name,
  mobile: user.mobile ?? null,
  role: user.role,
  persona: user.persona ?? null,
  budget: { tokens: user.budget?.tokens ?? null, cost: user.budget?.cost ?? null },
  used: { tokens: spent?.tokens ?? 0, cost: spent?.cost ?? 0 },
  identities: [...user.identities],
  created_at: user.createdAt / 1000,
  last_seen_at: user.lastSeenAt === undefined ? null : user.lastSeenAt / 1000,
  disabled: user.disabled === true,
  is_owner: isOwner,
});
