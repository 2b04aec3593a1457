export { mobileNumber } from "./mobile-number.ts";
export { Roster } from "./roster.ts";
export { importRoster, rosterFile } from "./roster-file.ts";
export { memoryScopeOfUser, ROLES, type User, type UserDraft, type UserPatch } from "./user.ts";
