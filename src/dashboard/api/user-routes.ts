import { z } from "zod";
import { type HttpContext } from "../../http/server/context.ts";
import { route } from "../../http/server/api-route.ts";
import type { AuditDraft } from "../audit/audit-log.ts";
import { actorAt, bodyOf, type DashboardRoute, reads } from "./dashboard-api.ts";
import { hasWords, PAGE_QUERY, pageOfNames } from "./list-page.ts";

const Name = z.string().max(1000);
const Mobile = z.string().max(100);
const Persona = z.string().max(100);
const Role = z.enum(["operator", "member"]);
const Identity = z.object({ identity: z.string().trim().min(1).max(300) }).meta({ title: "ChatIdentity" });
const Csv = z.object({ csv: z.string().min(1) }).meta({ title: "UserFile" });

const amount = z.number().nullable();
const Budget = z
  .object({ tokens: amount.exactOptional(), cost: amount.exactOptional() })
  .describe("For a calendar month; null takes a limit away");

const AddUser = z
  .object({
    name: Name,
    mobile: Mobile.exactOptional(),
    role: Role.exactOptional(),
    persona: Persona.exactOptional(),
    budget: Budget.exactOptional(),
  })
  .meta({ title: "AddUser" });

const ChangeUser = z
  .object({
    name: Name.exactOptional(),
    mobile: Mobile.nullable().exactOptional(),
    role: Role.exactOptional(),
    persona: Persona.nullable().exactOptional(),
    budget: Budget.nullable().exactOptional(),
    disabled: z.boolean().exactOptional(),
  })
  .meta({ title: "ChangeUser" });

const UserWire = z
  .object({
    id: z.string(),
    name: z.string(),
    mobile: z.string().nullable().describe("E.164"),
    role: Role,
    persona: z.string().nullable(),
    budget: z.object({ tokens: amount, cost: amount }).describe("For a calendar month"),
    used: z.object({ tokens: z.number(), cost: z.number() }).describe("In the present month"),
    identities: z.array(z.string()),
    created_at: z.number().describe("Unix seconds"),
    last_seen_at: z.number().nullable().describe("Unix seconds"),
    disabled: z.boolean(),
    is_owner: z.boolean().describe("Named by `people.owner`: sits at the terminal"),
  })
  .meta({ title: "User" });

/** A page of the roster. */
export const UserPageWire = z
  .object({
    data: z.array(UserWire),
    next: z.string().exactOptional(),
    month: z.object({ name: z.string(), until: z.number().describe("Unix seconds") }),
    is_empty: z.boolean().describe("Nobody is on the roster at all"),
  })
  .meta({ title: "UserPage" });

const line = z.object({ line: z.number().describe("The head is 1"), name: z.string() });

/** What a file would do, or has done. */
export const UserImportWire = z
  .object({
    added: z.array(line),
    changed: z.array(line),
    refused: z.array(z.object({ line: z.number(), reason: z.string() })),
  })
  .meta({ title: "UserImport" });

/** A user as pages get them. */
export type UserRow = z.output<typeof UserWire>;
/** The outcome of a file of users, before or after it was taken. */
export type UserImport = z.output<typeof UserImportWire>;
/** A user to be added. */
export type AddedUser = z.output<typeof AddUser>;
/** Changes of a user. */
export type UserChange = z.output<typeof ChangeUser>;
/** The maker of a change, and where it comes from. */
export type ChangedBy = Pick<AuditDraft, "who" | "from">;

/** The users of a home; each change notes itself in the audit log. */
export interface UsersPort {
  list(): Promise<{ readonly users: readonly UserRow[]; readonly month: { name: string; until: number } }>;
  /** @throws HostError `not_found` */
  get(id: string): Promise<UserRow>;
  csv(): Promise<string>;
  /** What a file would do. @throws HostError `invalid_params` */
  preview(csv: string): Promise<UserImport>;
  changes(by: ChangedBy): {
    add(user: AddedUser): Promise<UserRow>;
    change(id: string, change: UserChange): Promise<UserRow>;
    remove(id: string): Promise<void>;
    link(id: string, identity: string): Promise<UserRow>;
    unlink(id: string, identity: string): Promise<UserRow>;
    endSessions(id: string): Promise<void>;
    importFile(csv: string): Promise<UserImport>;
  };
}

const ALL = "/dashboard/api/users";
const ONE = `${ALL}/{user_id}` as const;

/** Declares the routes of the page of the users. */
export const userPageRoutes = (users: UsersPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, (c) => pageOf(c, users), {
    id: "listUsers",
    summary: "The roster, by name; `q` filters names, numbers and identities, `state` is active or disabled",
    answer: UserPageWire,
    query: [...PAGE_QUERY, "q", "state"],
  }),
  route(
    `GET ${ALL}/export`,
    async (c) =>
      c.body(await users.csv(), 200, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="users.csv"',
      }),
    { id: "exportUsers", summary: "The roster as CSV, with the columns that an import takes", plain: true },
  ),
  reads(`GET ${ONE}`, (_c, _api, id) => users.get(id), {
    id: "getUser",
    summary: "One user",
    answer: UserWire,
  }),
  ...changeRoutes(users),
  ...fileRoutes(users),
];

async function pageOf(c: HttpContext, users: UsersPort) {
  const [words, state] = [c.req.query("q") ?? "", c.req.query("state")];
  const { users: all, month } = await users.list();
  const found = all
    .filter(({ name, mobile, identities, id }) => hasWords(words, [name, mobile ?? "", id, ...identities]))
    .filter(({ disabled }) => state === undefined || (state === "disabled") === disabled)
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return { ...pageOfNames(c, found, nameOf), month, is_empty: all.length === 0 };
}

/** Names are not told apart by themselves. */
const nameOf = ({ name, id }: UserRow): string => `${name.toLowerCase()} ${id}`;

const changeRoutes = (users: UsersPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}`,
    async (c) => c.json(await users.changes(actorAt(c)).add(await bodyOf(c, AddUser)), 201),
    { id: "addUser", summary: "Add a user", body: AddUser, answer: UserWire, status: 201 },
  ),
  route(
    `PATCH ${ONE}`,
    async (c, _api, id) => c.json(await users.changes(actorAt(c)).change(id, await bodyOf(c, ChangeUser))),
    {
      id: "changeUser",
      summary: "Change a user; what their budget had stopped goes on, and who is disabled is out at once",
      body: ChangeUser,
      answer: UserWire,
    },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, _api, id) => {
      await users.changes(actorAt(c)).remove(id);
      return c.json({ ok: true });
    },
    { id: "removeUser", summary: "Take a user off the roster; their sessions stay, for nobody" },
  ),
  route(
    `POST ${ONE}/link`,
    async (c, _api, id) => {
      const { identity } = await bodyOf(c, Identity);
      return c.json(await users.changes(actorAt(c)).link(id, identity));
    },
    { id: "linkIdentity", summary: "Link an identity of a chat", body: Identity, answer: UserWire },
  ),
  route(
    `POST ${ONE}/unlink`,
    async (c, _api, id) => {
      const { identity } = await bodyOf(c, Identity);
      return c.json(await users.changes(actorAt(c)).unlink(id, identity));
    },
    { id: "unlinkIdentity", summary: "Take a linked identity away", body: Identity, answer: UserWire },
  ),
  route(
    `POST ${ONE}/end`,
    async (c, _api, id) => {
      await users.changes(actorAt(c)).endSessions(id);
      return c.json({ ok: true });
    },
    { id: "endUserSessions", summary: "Sign a user out on all devices, and stop what runs for them" },
  ),
];

const fileRoutes = (users: UsersPort): readonly DashboardRoute[] => [
  route(`POST ${ALL}/preview`, async (c) => c.json(await users.preview((await bodyOf(c, Csv)).csv)), {
    id: "previewUsers",
    summary: "What a CSV file would add and change, and which lines it would refuse, and why",
    body: Csv,
    answer: UserImportWire,
  }),
  route(
    `POST ${ALL}/import`,
    async (c) => c.json(await users.changes(actorAt(c)).importFile((await bodyOf(c, Csv)).csv)),
    {
      id: "importUsers",
      summary: "Add and change users from a CSV file; wrong lines are refused and keep no other out",
      body: Csv,
      answer: UserImportWire,
    },
  ),
];
