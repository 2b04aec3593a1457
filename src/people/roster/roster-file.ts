import { HostError, messageOf } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { readDollars, readTokens } from "./budget-text.ts";
import { csvRows, csvText } from "./csv.ts";
import { mobileNumber } from "./mobile-number.ts";
import { checkChatIdentity, checkName } from "./names.ts";
import type { Roster } from "./roster.ts";
import { type Role, ROLES, type User } from "./user.ts";

const COLUMNS = ["name", "mobile", "role", "persona", "budget_tokens", "budget_cost", "identities"] as const;
type Column = (typeof COLUMNS)[number];
type ValueOf = (column: Column) => string | undefined;

/** Users that are written side by side: the store commits them together. */
const AT_ONCE = 50;

/** A line of a file that was not taken. */
export interface RefusedLine {
  /** Its number, the head being 1. */
  readonly line: number;
  readonly reason: string;
}

/** A line of a file that can be taken: whom it adds, or how it changes the one whose number it has. */
export interface TakenLine {
  readonly line: number;
  /** The user whom it changes; absent for one whom it adds. */
  readonly known?: User;
  readonly name: string;
  readonly mobile?: string;
  readonly role?: Role;
  readonly persona?: string;
  readonly budget?: { readonly tokens?: number; readonly cost?: number };
  readonly identities: readonly string[];
}

/** The lines of a file, before any is taken. */
export interface RosterPlan {
  readonly taken: readonly TakenLine[];
  readonly refused: readonly RefusedLine[];
}

/** A user whom a line of a file added, or changed. */
export interface ImportedUser {
  readonly line: number;
  readonly after: User;
}

/** The same with what they were before the change. */
export interface ChangedUser extends ImportedUser {
  readonly before: User;
}

/** The outcome of an import: whom it added and changed, and the lines that it refused. */
export interface RosterImport {
  readonly added: readonly ImportedUser[];
  readonly changed: readonly ChangedUser[];
  readonly refused: readonly RefusedLine[];
}

/** The roster as CSV, with the columns that an import takes. */
export function rosterFile(users: readonly User[]): string {
  const rows = users.map(({ name, mobile = "", role, persona = "", budget, identities }) => [
    name,
    mobile,
    role,
    persona,
    String(budget?.tokens ?? ""),
    String(budget?.cost ?? ""),
    identities.join(" "),
  ]);
  return csvText([COLUMNS, ...rows]);
}

/**
 * Reads a CSV file of users: each line adds one, or changes the one whose mobile number it has; an empty value changes
 * nothing. A line that is wrong is refused and keeps no other from being taken.
 *
 * @throws HostError `invalid_params` when the file has no head with a column `name`, or is no CSV
 */
export async function planImport(roster: Roster, text: string): Promise<RosterPlan> {
  const [head = [], ...rows] = csvRows(text);
  const names = head.map((name) => name.trim().toLowerCase());
  checkHead(names);
  const holders = new Holders(await roster.list());
  const taken: TakenLine[] = [];
  const refused: RefusedLine[] = [];
  for (const [at, row] of rows.entries()) {
    if (row.every((value) => value.trim() === "")) continue;
    const line = at + 2;
    try {
      if (row.length > names.length)
        throw new HostError("invalid_params", `It has ${row.length} values for ${names.length} columns.`);
      const value: ValueOf = (column) => unquoted(row[names.indexOf(column)]?.trim()) || undefined;
      const read = holders.take(await readLine(line, value));
      if (read.persona !== read.known?.persona) await roster.checkPersona(read.persona);
      taken.push(read);
    } catch (thrown) {
      if (!(thrown instanceof HostError)) throw thrown;
      refused.push({ line, reason: messageOf(thrown) });
    }
  }
  return { taken, refused };
}

/** Takes the lines of a file. What somebody else took meanwhile is refused. @throws HostError as `planImport` */
export async function importRoster(roster: Roster, text: string): Promise<RosterImport> {
  const { taken, refused: wrong } = await planImport(roster, text);
  const outcomes: LineOutcome[] = [];
  for (let from = 0; from < taken.length; from += AT_ONCE)
    outcomes.push(
      ...(await Promise.all(taken.slice(from, from + AT_ONCE).map((line) => outcomeOf(roster, line)))),
    );
  return {
    added: outcomes.flatMap(({ line, before, after }) =>
      before === undefined && after !== undefined ? [{ line, after }] : [],
    ),
    changed: outcomes.flatMap(({ line, before, after }) =>
      before && after ? [{ line, before, after }] : [],
    ),
    refused: [...wrong, ...outcomes.flatMap(({ refused }) => refused ?? [])].toSorted(
      (a, b) => a.line - b.line,
    ),
  };
}

/** A line of a file, once it was taken or refused. */
interface LineOutcome {
  readonly line: number;
  readonly before?: User;
  readonly after?: User;
  readonly refused?: RefusedLine;
}

async function outcomeOf(roster: Roster, taken: TakenLine): Promise<LineOutcome> {
  const { line, known: before } = taken;
  try {
    return { line, after: await takeLine(roster, taken), ...defined({ before }) };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return { line, refused: { line, reason: messageOf(thrown) } };
  }
}

async function takeLine(
  roster: Roster,
  { known, name, mobile, identities, ...taken }: TakenLine,
): Promise<User> {
  const { role, persona, budget } = taken;
  const more = { name, ...defined({ role, persona, budget }) };
  let user =
    known === undefined
      ? await roster.add({ ...more, ...defined({ mobile }) })
      : await roster.change(known.id, more);
  for (const identity of identities) user = await roster.link(user.id, identity);
  return user;
}

function checkHead(names: readonly string[]): void {
  const unknown = names.filter((name) => !COLUMNS.some((column) => column === name));
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  if (names.includes("name") && unknown.length === 0 && twice.length === 0) return;
  const wrong = [
    ...(unknown.length > 0 ? [`, and there is no column ${unknown.join(", ").slice(0, 200)}`] : []),
    ...(twice.length > 0 ? [`, and ${twice.join(", ").slice(0, 200)} stands there twice`] : []),
  ];
  throw new HostError(
    "invalid_params",
    `The first line must name the columns: ${COLUMNS.join(", ")}; name is needed${wrong.join("")}.`,
  );
}

async function readLine(line: number, value: ValueOf): Promise<Omit<TakenLine, "known">> {
  const [mobile, persona] = [value("mobile"), value("persona")];
  const [tokens, cost] = [value("budget_tokens"), value("budget_cost")];
  const budget = defined({
    tokens: tokens === undefined ? undefined : readTokens(tokens),
    cost: cost === undefined ? undefined : readDollars(cost),
  });
  const identities = [...new Set(value("identities")?.split(/\s+/) ?? [])];
  for (const identity of identities) checkChatIdentity(identity);
  return {
    line,
    name: checkName(value("name") ?? ""),
    identities,
    ...defined({
      mobile: mobile === undefined ? undefined : await mobileNumber(mobile),
      role: roleOf(value("role")),
      persona,
      budget: tokens === undefined && cost === undefined ? undefined : budget,
    }),
  };
}

/** Who has which number and identity, on the roster and in the lines so far. */
class Holders {
  readonly #mobiles: Map<string, User>;
  readonly #identities: Map<string, User>;
  /** The lines that have a number or an identity. */
  readonly #lines = new Map<string, number>();

  constructor(users: readonly User[]) {
    this.#mobiles = new Map(
      users.flatMap((user) => (user.mobile === undefined ? [] : [[user.mobile, user]])),
    );
    this.#identities = new Map(users.flatMap((user) => user.identities.map((each) => [each, user])));
  }

  /** @throws HostError `conflict` for what is somebody else's, on the roster or in an earlier line */
  take(line: Omit<TakenLine, "known">): TakenLine {
    const known = line.mobile === undefined ? undefined : this.#mobiles.get(line.mobile);
    const own = [...(line.mobile === undefined ? [] : [line.mobile]), ...line.identities];
    for (const each of own) {
      const earlier = this.#lines.get(each);
      if (earlier !== undefined)
        throw new HostError("conflict", `${each} stands in line ${earlier} already.`);
      const holder = this.#identities.get(each);
      if (holder !== undefined && holder.id !== known?.id)
        throw new HostError("conflict", `${each} belongs to ${holder.name} already.`);
    }
    for (const each of own) this.#lines.set(each, line.line);
    return { ...line, ...defined({ known }) };
  }
}

/** What an export put a quote before, so that no spreadsheet takes it for a formula. */
const unquoted = (value: string | undefined): string | undefined => value?.replace(/^'(?='*[=@+-])/, "");

function roleOf(given: string | undefined): Role | undefined {
  if (given === undefined) return undefined;
  const role = ROLES.find((each) => each === given.toLowerCase());
  if (role !== undefined) return role;
  throw new HostError(
    "invalid_params",
    `${JSON.stringify(given.slice(0, 40))} is no role; there are ${ROLES.join(" and ")}.`,
  );
}
