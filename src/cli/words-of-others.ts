/** Commands of other agents that are another of ours, word by word. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  exec: ["run"],
  resume: ["--resume"],
  continue: ["--continue"],
  login: ["setup"],
  auth: ["setup"],
  models: ["model"],
  serve: ["gateway"],
};

/** What an option of other agents is here, as it goes on after "Here". */
const OPTIONS: Readonly<Record<string, string>> = {
  "--full-auto": "it is `--mode edits`",
  "--yolo": "it is `--mode all`: every tool runs without asking, and there is no sandbox",
  "--dangerously-skip-permissions":
    "it is `--mode all`: every tool runs without asking, and there is no sandbox",
  "--dangerously-bypass-approvals-and-sandbox":
    "it is `--mode all`: every tool runs without asking, and there is no sandbox",
  "--sandbox": "`--mode plan` only reads; there is no sandbox",
  "--ask-for-approval": "it is `--mode ask|edits|plan|all`",
  "-a": "it is `--mode ask|edits|plan|all`",
  "--permission-mode": "it is `--mode ask|edits|plan|all`",
  "--approval-mode": "it is `--mode ask|edits|plan|all`",
  "--cd": "it is `--cwd <folder>` of `agent run`",
  "-C": "it is `--cwd <folder>` of `agent run`",
  "--image": "`@image.png` in the prompt attaches it",
  "-i": "`@image.png` in the prompt attaches it",
  "--print": "it is `agent run`",
  "--prompt": "the prompt stands without an option",
  "--last": "it is `--continue`",
  "--output-format": "it is `--output text|json|stream-json` of `agent run`",
  "--output-schema": "it is `--schema <file>` of `agent run`",
  "--json-schema": "it is `--schema <file>` of `agent run`",
  "--output-last-message": "stdout has nothing but the answer: `agent run … > file`",
  "-o": "stdout has nothing but the answer: `agent run … > file`",
  "--allowedTools": "it is `--allow <rule>` of `agent run`",
  "--allowed-tools": "it is `--allow <rule>` of `agent run`",
  "--disallowedTools": "it is `--deny <rule>` of `agent run`",
  "--disallowed-tools": "it is `--deny <rule>` of `agent run`",
  "--skip-git-repo-check": "nothing has to be a repository: leave it out",
};

/** The arguments in the words of this program, when they begin with a command of another agent. */
export function inOurWords(argv: readonly string[]): readonly string[] {
  const [word = "", ...rest] = argv;
  const ours = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (ours === undefined) return argv;
  if (word === "resume" && rest[0] === "--last") return ["--continue", ...rest.slice(1)];
  if (word === "auth" && rest[0] === "login") return ["setup", ...rest.slice(1)];
  return [...ours, ...rest];
}

/** A complaint about an option, with what it is here when other agents have it. */
export function withOurOption(complaint: string): string {
  const [, option = ""] = /unknown option '([^'=]*)/.exec(complaint) ?? [];
  const here = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
  return here === undefined ? complaint : `agent: There is no option ${option}. Here ${here}.\n`;
}

/** Words that are a prompt and no command: a sentence, or a command of the chat with words behind it. */
export const isPrompt = (word: string): boolean => !word.startsWith("-") && /\S\s+\S/.test(word);
