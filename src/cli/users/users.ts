import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Agent, openAgent } from "../../app/compose.ts";
import { type Io, EXIT, write } from "../../app/process/io.ts";
import { FROM_HERE, type PeopleChanges, peopleChanges } from "../../app/people/people-changes.ts";
import {
  budgetWords,
  readDollars,
  readTokens,
  rosterFile,
  type User,
  type UserPatch,
} from "../../people/roster/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { fieldLines, printJson } from "../terminal/output.ts";

/** The values with which a user is added or changed. */
interface UserFlags {
  readonly name?: string;
  readonly mobile?: string;
  readonly role?: "member" | "operator";
  readonly persona?: string;
  /** Tokens of a month, such as `200k`; empty takes the limit away. */
  readonly budgetTokens?: string;
  /** US dollars of a month. */
  readonly budgetCost?: string;
}

interface Named {
  /** An id, a mobile number or a linked identity. */
  readonly user: string;
}

/** `agent users list`. */
export async function listUsers(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const users = await agent.people.roster.list();
  if (json) return await printJson(io, users);
  const lines = users.map((user) => forTerminalLine(lineOf(user)));
  await write(
    io.stdout,
    `${lines.length === 0 ? "Nobody is on the roster. `agent users add <name>` adds somebody." : lines.join("\n")}\n`,
  );
}

/** `agent users show`. @throws HostError `not_found` */
export async function showUser(
  io: Io,
  { user: named, json }: Named & { readonly json: boolean },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const user = await agent.people.roster.named(named);
  if (json) return await printJson(io, user);
  const { createdAt, lastSeenAt, identities, budget, ...rest } = user;
  const spent = (await agent.people.budgets.spentBy([user])).get(user.id);
  const times = {
    added: localTime(createdAt),
    lastSeen: lastSeenAt === undefined ? null : localTime(lastSeenAt),
  };
  const budgets = {
    budget: budget === undefined ? null : budgetWords(budget),
    usedThisMonth: spent && budgetWords(spent).replace(/ a month$/, ""),
  };
  await write(
    io.stdout,
    fieldLines({ ...rest, ...budgets, identities: identities.join(", ") || null, ...times }),
  );
}

/** `agent users add`. @throws HostError `invalid_params`, `conflict` */
export async function addUser(
  io: Io,
  { name, mobile, role, persona, ...flags }: UserFlags & { readonly name: string },
): Promise<void> {
  const { tokens, cost } = budgetPatch(flags) ?? {};
  const budget = defined({ tokens: tokens ?? undefined, cost: cost ?? undefined });
  await using agent = await openAgent(io, { resident: false });
  const user = await changesOf(agent).add({ name, budget, ...defined({ mobile, role, persona }) });
  await write(io.stdout, forTerminalLine(`Added: ${lineOf(user)}`) + "\n");
}

/** `agent users edit`. @throws HostError `not_found`, `invalid_params`, `conflict` */
export async function editUser(
  io: Io,
  { user, name, mobile, role, persona, ...flags }: Named & UserFlags,
): Promise<void> {
  const patch = {
    name,
    role,
    mobile: mobile === "" ? null : mobile,
    persona: persona === "" ? null : persona,
    budget: budgetPatch(flags),
  };
  await change(io, user, { words: "Changed", act: (changes, { id }) => changes.change(id, defined(patch)) });
}

/** @throws HostError `invalid_params` */
function budgetPatch({ budgetTokens, budgetCost }: UserFlags): UserPatch["budget"] {
  if (budgetTokens === undefined && budgetCost === undefined) return undefined;
  return {
    tokens: given(budgetTokens, readTokens),
    cost: given(budgetCost, readDollars),
  };
}

/** The value of a flag; an empty one takes it away. */
const given = (text: string | undefined, read: (text: string) => number): number | null | undefined =>
  text === undefined ? undefined : text === "" ? null : read(text);

const switched =
  (words: string, patch: UserPatch) =>
  (io: Io, { user }: Named): Promise<void> =>
    change(io, user, { words, act: (changes, { id }) => changes.change(id, patch) });

/** `agent users disable`. @throws HostError `not_found` */
export const disableUser = switched("Disabled", { disabled: true });

/** `agent users enable`. @throws HostError `not_found` */
export const enableUser = switched("Enabled", { disabled: false });

/** `agent users end`. @throws HostError `not_found` */
export const endUser = (io: Io, { user }: Named): Promise<void> =>
  change(io, user, {
    words: "Signed out everywhere",
    act: (changes, { id }) => changes.endSessions(id),
  });

/** `agent users link`. @throws HostError `not_found`, `invalid_params`, `conflict` */
export const linkUser = (io: Io, { user, identity }: Named & { readonly identity: string }): Promise<void> =>
  change(io, user, { words: "Linked", act: (changes, { id }) => changes.link(id, identity) });

/** `agent users unlink`. @throws HostError `not_found` */
export const unlinkUser = (
  io: Io,
  { user, identity }: Named & { readonly identity: string },
): Promise<void> =>
  change(io, user, { words: "Unlinked", act: (changes, { id }) => changes.unlink(id, identity) });

/** `agent users remove`. @throws HostError `not_found` */
export async function removeUser(io: Io, { user: named }: Named): Promise<void> {
  await change(io, named, { words: "Removed", act: (changes, { id }) => changes.remove(id) });
}

/** `agent users import`. The exit code is 1 when a line was refused. @throws HostError `invalid_params` */
export async function importUsers(
  io: Io,
  { file, json }: { readonly file: string; readonly json: boolean },
): Promise<number> {
  const given = await text(file === "-" ? io.stdin : createReadStream(resolve(io.cwd, file)));
  await using agent = await openAgent(io, { resident: false });
  const { added, changed, refused } = await changesOf(agent).importFile(given);
  const users = (taken: readonly { readonly after: User }[]) => taken.map(({ after }) => after);
  if (json) await printJson(io, { added: users(added), changed: users(changed), refused });
  else
    await write(io.stdout, `${added.length} added, ${changed.length} changed, ${refused.length} refused.\n`);
  for (const { line, reason } of refused)
    await write(io.stderr, forTerminalLine(`Line ${line}: ${reason}`) + "\n");
  return refused.length > 0 ? EXIT.failed : EXIT.completed;
}

/** `agent users export`. */
export async function exportUsers(io: Io): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  await write(io.stdout, rosterFile(await agent.people.roster.list()));
}

async function change(
  io: Io,
  named: string,
  {
    words,
    act,
  }: { readonly words: string; readonly act: (changes: PeopleChanges, user: User) => Promise<User> },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const after = await act(changesOf(agent), await agent.people.roster.named(named));
  await write(io.stdout, forTerminalLine(`${words}: ${lineOf(after)}`) + "\n");
}

const changesOf = (agent: Agent): PeopleChanges => peopleChanges(agent, FROM_HERE);

const lineOf = ({ id, name, mobile, role, persona, budget, identities, disabled }: User): string =>
  [
    id,
    name,
    mobile,
    role,
    persona,
    budget && budgetWords(budget),
    ...identities,
    disabled === true ? "disabled" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join("  ");
