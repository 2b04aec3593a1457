export { type MemberApp, type MemberAppOptions, openMemberApp } from "./member-app.ts";
export type { PushKeys } from "./push/push-request.ts";
export type { PushPorts } from "./push/pushes.ts";
export { Devices } from "./sign-in/devices.ts";
export type { Member, Members } from "./sign-in/members.ts";
