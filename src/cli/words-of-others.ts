import { HostError } from "../shared/errors/host-error.ts";

/** Commands of other agents that are another of ours, word by word. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  exec: ["run"],
  resume: ["--resume"],
  continue: ["--continue"],
  login: ["setup"],
  auth: ["setup"],
  models: ["model"],
  serve: ["gateway"],
  session: ["sessions"],
  export: ["sessions", "export"],
  import: ["sessions", "import"],
  usage: ["stats"],
  cost: ["stats"],
  review: ["run", "/review"],
};

/** What commands of other agents are here that have no command of their own, as it goes on after "Here". */
const NO_COMMANDS: Readonly<Record<string, string>> = {
  agent: "`--mode plan` only reads and ends with a plan, `--mode edits` changes files; Shift+Tab changes it",
  apply: "the agent changes files in the folder itself; `/diff` in the chat shows what changed",
  logout: "keys stand in .env of the home: remove them there",
  share: "`agent sessions export` and `/export` write a session into a file; nothing is published",
  update: "a checkout is brought up to date with `git pull` and `npm ci`",
  upgrade: "a checkout is brought up to date with `git pull` and `npm ci`",
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
  "--image": "`@image.png` in the prompt attaches it; `agent run` has --image",
  "-i": "`@image.png` in the prompt attaches it; `agent run` has --image",
  "-p": "`agent -p <name> run …` chooses a profile; a prompt stands without an option",
  "--print": "it is `agent run`",
  "--prompt": "the prompt stands without an option",
  "--last": "it is `--continue`",
  "--output-format": "it is `--output text|json|stream-json` of `agent run`",
  "--output-schema": "it is `--schema <file>` of `agent run`",
  "--json-schema": "it is `--schema <file>` of `agent run`",
  "--output-last-message": "it is an option of `agent run`",
  "-o": "it is an option of `agent run`",
  "--allowedTools": "it is `--allow <rule>` of `agent run`",
  "--allowed-tools": "it is `--allow <rule>` of `agent run`",
  "--disallowedTools": "it is `--deny <rule>` of `agent run`",
  "--disallowed-tools": "it is `--deny <rule>` of `agent run`",
  "--format": "it is `--output text|json|stream-json` of `agent run`",
  "--agent": "`--mode plan` only reads, `--mode edits` changes files",
  "--file": "`@path` in the prompt sends a file along, --image an image",
  "-f": "`@path` in the prompt sends a file along, --image an image",
  "--share": "`agent sessions export` writes a session into a file; nothing is published",
  "--command": "the command is the prompt: `agent run /review`",
  "--variant": "`/reasoning high` in a chat says how long the model thinks",
  "--fork": "`/branch` in a chat goes on in a copy of the session",
  "--config": "it is `--set key=value`, with the keys of config.yaml; -m chooses the model",
  "--color": "nothing is coloured where no terminal reads: leave it out",
  "--ephemeral": "a run is kept as a session, which `agent sessions delete` removes: leave it out",
  "--oss": "`-m ollama:<model>` uses a model of this machine once `agent setup` has found it",
  "--skip-git-repo-check": "nothing has to be a repository: leave it out",
};

/** The arguments in the words of this program, when they begin with a command of another agent. */
export function inOurWords(argv: readonly string[]): readonly string[] {
  const [word = "", ...rest] = argv;
  const printed = printArguments(argv);
  if (printed !== undefined) return printed;
  const ours = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (ours === undefined) return argv;
  if (word === "exec") return ["run", ...runArguments(rest)];
  if (word === "resume" && rest[0] === "--last") return ["--continue", ...rest.slice(1)];
  if (word === "auth" && rest[0] === "login") return ["setup", ...rest.slice(1)];
  return [...ours, ...rest];
}

/** What a profile can be called. */
const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Whether `-p` and what follows can choose a profile; else it is the print mode of other agents, which answers a prompt and ends. */
export const canBeProfile = (value: string | undefined): boolean =>
  value !== undefined && PROFILE_NAME.test(value);

/** Print mode as `agent run`: `-p` with what can be no profile, `--print`, and `--prompt` of a run. */
function printArguments(argv: readonly string[]): readonly string[] | undefined {
  const [first = ""] = argv;
  const isRun = first === "run";
  if (!isRun && !first.startsWith("-") && !isPrompt(first)) return undefined;
  const end = argv.indexOf("--");
  const at = argv.findIndex(
    (word, index) =>
      (end === -1 || index < end) &&
      (word === "--print" ||
        (isRun && word === "--prompt") ||
        (word === "-p" && !canBeProfile(argv[index + 1]))),
  );
  if (at === -1) return undefined;
  const rest = argv.toSpliced(at, 1).slice(isRun ? 1 : 0);
  return ["run", ...rest.map((word) => word.replace(/^--output-format(?==|$)/, "--output"))];
}

/** The modes that stand for the walls around another agent's commands. */
const SANDBOX_MODES: Readonly<Record<string, string>> = {
  "read-only": "plan",
  "workspace-write": "edits",
  "danger-full-access": "all",
};

/** Options of `exec`, which scripts are full of, as arguments of `agent run`; each takes its value along. */
const EXEC_OPTIONS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  "--cd": (folder) => ["--cwd", folder],
  "-C": (folder) => ["--cwd", folder],
  "--sandbox": (walls) => ["--mode", SANDBOX_MODES[walls] ?? walls],
  "-s": (walls) =>
    Object.hasOwn(SANDBOX_MODES, walls) ? ["--mode", SANDBOX_MODES[walls] ?? ""] : ["-s", walls],
  "--output-schema": (file) => ["--schema", file],
  // A run asks nobody.
  "--ask-for-approval": () => [],
  "-a": () => [],
  "--color": () => [],
};

/** Options of `exec` without a value. */
const EXEC_FLAGS: Readonly<Record<string, readonly string[]>> = {
  "--full-auto": ["--mode", "edits"],
  "--yolo": ["--mode", "all"],
  "--dangerously-bypass-approvals-and-sandbox": ["--mode", "all"],
  "--skip-git-repo-check": [],
};

/** The arguments of another agent's `exec` as those of `agent run`. What stands behind `--` stays as it is. */
function runArguments(given: readonly string[]): readonly string[] {
  const [word, ...rest] = given;
  if (word === "resume")
    return rest[0] === "--last"
      ? ["--continue", ...runArguments(rest.slice(1))]
      : ["--resume", ...runArguments(rest)];
  if (word === "review" && rest.every((each) => each.startsWith("-")))
    return ["/review", ...runArguments(rest)];
  const end = given.indexOf("--");
  const ours: string[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const each = given[at] ?? "";
    if (end !== -1 && at >= end) ours.push(each);
    else if (Object.hasOwn(EXEC_FLAGS, each)) ours.push(...(EXEC_FLAGS[each] ?? []));
    else {
      const [, option = each, attached] = /^(--[a-z-]+)=(.*)$/s.exec(each) ?? [];
      const read = Object.hasOwn(EXEC_OPTIONS, option) ? EXEC_OPTIONS[option] : undefined;
      const value = attached ?? given[at + 1];
      const override = isOverride(option, value) ? overrideWords(value) : undefined;
      if (override !== undefined) {
        ours.push(...override);
        if (attached === undefined) at += 1;
      } else if (read === undefined || value === undefined) ours.push(each);
      else {
        ours.push(...read(value));
        if (attached === undefined) at += 1;
      }
    }
  }
  return ours;
}

/** `-c` goes on with a run here: a setting behind it would be taken for the prompt. */
const isOverride = (option: string, value: string | undefined): boolean =>
  (option === "-c" && /^[\w.-]+=/.test(value ?? "")) || option === "--config";

/** Settings of other agents that are an option of `agent run`, or that a run has no need of. */
const SETTINGS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  model: (name) => ["--model", name],
  sandbox_mode: (walls) => ["--mode", SANDBOX_MODES[walls] ?? walls],
  approval_policy: () => [],
};

/** A setting for one run. @throws HostError `command_usage` for one without a value */
function overrideWords(given = ""): readonly string[] {
  const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (key === "")
    throw new HostError(
      "command_usage",
      "--config takes a setting and its value: here it is `--set key=value`.",
    );
  const ours = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
  return ours?.(value.replace(/^(["'])(.*)\1$/s, "$2")) ?? ["--set", given];
}

/** What a command of another agent is here, when there is none for it. */
export const noCommandWords = (word: string): string | undefined =>
  Object.hasOwn(NO_COMMANDS, word) ? NO_COMMANDS[word] : undefined;

/** A complaint about an option, with what it is here when other agents have it. */
export function withOurOption(complaint: string): string {
  const [, option = ""] = /unknown option '([^'=]*)/.exec(complaint) ?? [];
  const here = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
  return here === undefined ? complaint : `agent: There is no option ${option}. Here ${here}.\n`;
}

/** Words that are a prompt and no command: a sentence, or a command of the chat with words behind it. */
export const isPrompt = (word: string): boolean => !word.startsWith("-") && /\S\s+\S/.test(word);
