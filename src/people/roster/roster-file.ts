import { HostError, messageOf } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { csvRows, csvText } from "./csv.ts";
import { parsedNumber } from "./mobile-number.ts";
import type { Roster } from "./roster.ts";
import { type Role, ROLES, type User } from "./user.ts";

const COLUMNS = ["name", "mobile", "role", "persona", "identities"] as const;
type Column = (typeof COLUMNS)[number];

/** A line of a file that was not taken. */
export interface RefusedLine {
  /** Its number, the head being 1. */
  readonly line: number;
  readonly reason: string;
}

/** The outcome of an import: whom it added and changed, and the lines that it refused. */
export interface RosterImport {
  readonly added: readonly User[];
  readonly changed: readonly User[];
  readonly refused: readonly RefusedLine[];
}

/** The roster as CSV, with the columns that an import takes. */
export function rosterFile(users: readonly User[]): string {
  const rows = users.map(({ name, mobile = "", role, persona = "", identities }) => [
    name,
    mobile,
    role,
    persona,
    identities.join(" "),
  ]);
  return csvText([COLUMNS, ...rows]);
}

/**
 * Adds the users of a CSV file, and changes those whose mobile number is on the roster. A line that is wrong is refused
 * and keeps no other from being taken.
 *
 * @throws HostError `invalid_params` when the file has no head with a column `name`, or is no CSV
 */
export async function importRoster(roster: Roster, text: string): Promise<RosterImport> {
  const [head = [], ...rows] = csvRows(text);
  const names = head.map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !COLUMNS.some((column) => column === name));
  if (!names.includes("name") || unknown.length > 0)
    throw new HostError(
      "invalid_params",
      `The first line must name the columns: ${COLUMNS.join(", ")}; name is needed${unknown.length > 0 ? `, and there is no column ${unknown.join(", ")}` : ""}.`,
    );
  const added: User[] = [];
  const changed: User[] = [];
  const refused: RefusedLine[] = [];
  for (const [at, row] of rows.entries()) {
    if (row.every((value) => value.trim() === "")) continue;
    try {
      if (row.length > names.length)
        throw new HostError("invalid_params", `It has ${row.length} values for ${names.length} columns.`);
      const value = (column: Column): string | undefined => row[names.indexOf(column)]?.trim() || undefined;
      const taken = await takeRow(roster, value);
      (taken.isNew ? added : changed).push(taken.user);
    } catch (thrown) {
      if (!(thrown instanceof HostError)) throw thrown;
      refused.push({ line: at + 2, reason: messageOf(thrown) });
    }
  }
  return { added, changed, refused };
}

async function takeRow(
  roster: Roster,
  value: (column: Column) => string | undefined,
): Promise<{ readonly user: User; readonly isNew: boolean }> {
  const role = roleOf(value("role"));
  const [name = "", mobile, persona] = [value("name"), value("mobile"), value("persona")];
  const identities = value("identities")?.split(/\s+/) ?? [];
  for (const identity of identities) await checkIdentity(roster, identity, mobile);
  const known = mobile === undefined ? undefined : await roster.byMobile(mobile);
  const more = defined({ role, persona });
  let user =
    known === undefined
      ? await roster.add({ name, ...defined({ mobile }), ...more })
      : await roster.change(known.id, { name, ...more });
  for (const identity of identities) user = await roster.link(user.id, identity);
  return { user, isNew: known === undefined };
}

/** Before anything of a line is taken: one that is refused changes nothing. */
async function checkIdentity(roster: Roster, identity: string, mobile: string | undefined): Promise<void> {
  const holder = await roster.byIdentity(identity);
  if (holder === undefined) return;
  const number = mobile === undefined ? undefined : await parsedNumber(mobile);
  if (number === undefined || holder.mobile !== number)
    throw new HostError("conflict", `${identity} belongs to ${holder.name} already.`);
}

function roleOf(given: string | undefined): Role | undefined {
  if (given === undefined) return undefined;
  const role = ROLES.find((each) => each === given.toLowerCase());
  if (role !== undefined) return role;
  throw new HostError(
    "invalid_params",
    `${JSON.stringify(given.slice(0, 40))} is no role; there are ${ROLES.join(" and ")}.`,
  );
}
