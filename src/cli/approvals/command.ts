import { argument, command, commandGroup, flagOff, JSON_FLAG } from "../command.ts";

const RULE = argument("<rule>", "such as 'git commit *', 'npm run build', 'edit:/path/**'");

/** `agent approvals`: what runs without asking, and what never runs. */
export const APPROVALS_COMMAND = commandGroup(
  "approvals",
  "rules of what runs without asking, and of what never runs",
  [
    command("list", "list the rules, and what each covers", {
      takes: { json: JSON_FLAG },
      load: async () => (await import("./approvals.ts")).listApprovals,
    }),
    command("allow", "let something run without asking, in every session", {
      takes: { rule: RULE, here: flagOff("only in sessions of this folder and those below it") },
      load: async () => (await import("./approvals.ts")).allowRule,
    }),
    command("deny", "let something never run, in no mode", {
      takes: { rule: RULE },
      load: async () => (await import("./approvals.ts")).denyRule,
    }),
    command("remove", "remove a rule, by its text or its number in the list", {
      takes: { rule: argument("<rule>") },
      load: async () => (await import("./approvals.ts")).removeApproval,
    }),
  ],
);
