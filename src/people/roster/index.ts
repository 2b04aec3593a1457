export { budgetWords, readDollars, readTokens } from "./budget-text.ts";
export { mobileNumber } from "./mobile-number.ts";
export { type HomeOwner, PersonalBudgets, type Spent } from "./personal-budgets.ts";
export { Roster } from "./roster.ts";
export { importRoster, planImport, type RosterImport, type RosterPlan, rosterFile } from "./roster-file.ts";
export { memoryScopeOfUser, ROLES, type User, type UserDraft, type UserPatch, userName } from "./user.ts";
