import { argument, command, commandGroup, JSON_FLAG, option } from "../command.ts";

const USER = argument("<user>", "id, mobile number or linked identity");
const ROLE = { choices: ["member", "operator"] } as const;
const IDENTITY = argument("<identity>", "<platform>:<id>, such as telegram:42");
const MOBILE = option("<number>", "mobile number with country code");
const PERSONA = option("<name>", "the persona that answers them");
const BUDGET = {
  budgetTokens: option("<tokens>", "what they may use in a calendar month, such as 200k"),
  budgetCost: option("<dollars>", "the same in US dollars"),
};

/** `agent users`: the people who may use the agent. */
export const USERS_COMMAND = commandGroup("users", "the people who may use the agent", [
  command("list", "list the users", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./users.ts")).listUsers,
  }),
  command("show", "show a user", {
    takes: { user: USER, json: JSON_FLAG },
    load: async () => (await import("./users.ts")).showUser,
  }),
  command("add", "add a user", {
    takes: {
      name: argument("<name>"),
      mobile: MOBILE,
      role: option("<role>", "member by default", ROLE),
      persona: PERSONA,
      ...BUDGET,
    },
    load: async () => (await import("./users.ts")).addUser,
  }),
  command("edit", "change a user; an empty value takes it away", {
    takes: {
      user: USER,
      name: option("<name>", "another name"),
      mobile: MOBILE,
      role: option("<role>", "another role", ROLE),
      persona: PERSONA,
      ...BUDGET,
    },
    load: async () => (await import("./users.ts")).editUser,
  }),
  command("disable", "let a user in nowhere any more; all of theirs stays", {
    takes: { user: USER },
    load: async () => (await import("./users.ts")).disableUser,
  }),
  command("enable", "let a disabled user in again", {
    takes: { user: USER },
    load: async () => (await import("./users.ts")).enableUser,
  }),
  command("end", "sign a user out on all devices, and stop what runs for them", {
    takes: { user: USER },
    load: async () => (await import("./users.ts")).endUser,
  }),
  command("remove", "take a user off the roster; their sessions stay, for nobody", {
    aliases: ["rm"],
    takes: { user: USER },
    load: async () => (await import("./users.ts")).removeUser,
  }),
  command("link", "link an identity of a chat: its direct messages are the user's", {
    takes: { user: USER, identity: IDENTITY },
    load: async () => (await import("./users.ts")).linkUser,
  }),
  command("unlink", "take a linked identity away", {
    takes: { user: USER, identity: IDENTITY },
    load: async () => (await import("./users.ts")).unlinkUser,
  }),
  command("import", "add and change users from a CSV file", {
    takes: { file: argument("<file>", "a path, or - for stdin"), json: JSON_FLAG },
    load: async () => (await import("./users.ts")).importUsers,
  }),
  command("export", "print the roster as CSV", {
    load: async () => (await import("./users.ts")).exportUsers,
  }),
]);
