export { mobileNumber } from "./mobile-number.ts";
export { Roster } from "./roster.ts";
export {
  memoryScopeOfUser,
  type PersonalBudget,
  ROLES,
  type User,
  type UserDraft,
  type UserPatch,
} from "./user.ts";
