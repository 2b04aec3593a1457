import { defineCommands, type SlashCommandResult } from "./slash-command.ts";

const INIT = `Write an AGENTS.md for this folder: what somebody who works on this code for the first time needs and would not find out at once.
Look around first: the README, the manifest (package.json, pyproject.toml, Cargo.toml, go.mod or the like), the build and lint settings, the tests, the rules that other agents have here (CLAUDE.md, GEMINI.md, .cursor/rules, .github/copilot-instructions.md).
Put in: how to build, test (also a single test), lint and run it; how the code is arranged and which way dependencies go; the conventions that are not visible in a single file; what must not be done. Commands as they are typed. No list of all files, nothing that every developer knows, nothing that you did not see.
Keep it under 80 lines. When there is an AGENTS.md already, improve it: keep what is right, mend what is not.`;

const review = (subject: string): string => `Review ${subject}.
Look at the changes and at the code around them: callers, tests, what they rely on. Change nothing.
Report what is wrong, the worst first: errors, cases that are not handled, holes in security, lost data, what breaks callers, missing tests. For each: the file and line, what goes wrong and with which input, and how to mend it. Check each finding in the code before you report it, and leave out matters of taste. When nothing is wrong, say so in a sentence.`;

const UNCOMMITTED =
  "the changes that are not committed yet (git status, git diff HEAD, and new files); when there are none, the commits of this branch that its base does not have";

/** Commands that send a task in good words. */
export const TASK_COMMANDS = defineCommands("Session", [
  {
    name: "init",
    args: "[words]",
    description: "Write an AGENTS.md about this folder, or improve it",
    run: (_context, words) => send(words === "" ? INIT : `${INIT}\nAlso: ${words}`),
  },
  {
    name: "review",
    args: "[what]",
    description: "Review the uncommitted changes, or a branch, commit or pull request",
    run: (_context, what) => send(review(what === "" ? UNCOMMITTED : what)),
  },
  {
    name: "security-review",
    args: "[what]",
    description: "Look for holes in security in the uncommitted changes, or in something else",
    run: (_context, what) =>
      send(
        `${review(what === "" ? UNCOMMITTED : what)}\nLook for holes in security only: what a stranger can send, where it goes, and what stops it.`,
      ),
  },
]);

const send = (message: string): Promise<SlashCommandResult> => Promise.resolve({ type: "send", message });
