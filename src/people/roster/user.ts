import { z } from "zod";
import { later } from "../../shared/memo/later.ts";

/** The role of a user: operators run the home, members have their own conversations. */
export type Role = "operator" | "member";

export const ROLES = ["operator", "member"] as const satisfies readonly Role[];

const personalBudget = () =>
  z.object({
    /** Tokens of a calendar month. */
    tokens: z.int().positive().optional(),
    /** US dollars of a calendar month. */
    cost: z.number().positive().optional(),
  });

/** A user's limits for a calendar month, in the home's time zone: tokens, and US dollars. */
export type PersonalBudget = z.output<ReturnType<typeof personalBudget>>;

/** A user as they are kept; their linked identities and when they were last seen stand beside. */
export const storedUser = later(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    mobile: z.string().optional(),
    role: z.enum(ROLES),
    persona: z.string().optional(),
    budget: personalBudget().optional(),
    identities: z.array(z.string()),
    createdAt: z.number(),
    disabled: z.literal(true).optional(),
  }),
);

/** A person on the roster. */
export interface User extends z.output<ReturnType<typeof storedUser>> {
  /** Unix milliseconds; absent for one who was never here. */
  readonly lastSeenAt?: number;
}

/** A user to be added. */
export interface UserDraft {
  readonly name: string;
  /** With its country code, in any spelling. */
  readonly mobile?: string | undefined;
  /** `member` by default. */
  readonly role?: Role | undefined;
  readonly persona?: string | undefined;
  readonly budget?: BudgetPatch | undefined;
}

/** Changes of a budget: an absent key stays as it is, `null` takes a limit away. */
export interface BudgetPatch {
  readonly tokens?: number | null | undefined;
  readonly cost?: number | null | undefined;
}

/** Changes of a user: an absent key stays as it is, `null` takes a value away. */
export interface UserPatch {
  readonly name?: string | undefined;
  readonly mobile?: string | null | undefined;
  readonly role?: Role | undefined;
  readonly persona?: string | null | undefined;
  readonly budget?: BudgetPatch | null | undefined;
  readonly disabled?: boolean | undefined;
}

/** The name of a user in what was used and who prompted, as `personName` gives it. */
export const userName = ({ id }: Pick<User, "id">): string => `user:${id}`;

/** The memory of a user: one on every surface. The home's owner at the terminal has the home's own. */
export const memoryScopeOfUser = (user: Pick<User, "id">, isOwner: boolean): string | undefined =>
  isOwner ? undefined : `user:${user.id}`;
