import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { HostError, messageOf } from "../shared/errors/host-error.ts";
import { nearNames } from "../shared/text/nearest-name.ts";
import { baseHome, homePaths } from "../app/config/home.ts";
import { profileHome } from "../app/config/profiles.ts";
import { EXIT, type Io, linesFor, write } from "../app/process/io.ts";
import { packageVersion } from "../app/process/version.ts";
import { ACP_COMMAND } from "./acp/command.ts";
import { forTerminalLine } from "../tui/terminal/terminal-text.ts";
import { argument, command, type CommandDeclaration, type Start } from "./command.ts";
import { BACKUP_COMMAND } from "./backup/command.ts";
import { CHATS_COMMAND, CONNECTORS_COMMAND, PAIR_COMMAND } from "./chat/command.ts";
import { CLUSTER_COMMAND } from "./cluster/command.ts";
import { CONFIG_COMMAND } from "./config/command.ts";
import { DASHBOARD_COMMAND } from "./dashboard/command.ts";
import { DOCTOR_COMMAND } from "./doctor/command.ts";
import { FLEET_COMMAND } from "./fleet/command.ts";
import { FRONT_COMMAND } from "./front/command.ts";
import { GATEWAY_COMMAND } from "./gateway/command.ts";
import { JOBS_COMMAND } from "./jobs/command.ts";
import { KB_COMMAND } from "./kb/command.ts";
import { MCP_COMMAND } from "./mcp/command.ts";
import { MEMORY_COMMAND } from "./memory/command.ts";
import { MODEL_COMMAND } from "./model/command.ts";
import { ATTACH_COMMAND, PS_COMMAND, STOP_COMMAND } from "./processes/command.ts";
import { PERSONA_COMMAND } from "./persona/command.ts";
import { PROFILE_COMMAND } from "./profile/command.ts";
import { RPC_COMMAND } from "./rpc/command.ts";
import { RUN_COMMAND } from "./run/command.ts";
import { SANDBOX_COMMAND } from "./sandbox/command.ts";
import { SESSIONS_COMMAND } from "./sessions/command.ts";
import { SETUP_COMMAND } from "./setup/command.ts";
import { SKILLS_COMMAND } from "./skills/command.ts";
import { APPROVALS_COMMAND } from "./approvals/command.ts";
import { STATS_COMMAND } from "./stats/command.ts";
import { STORE_COMMAND } from "./store/command.ts";
import { TRUST_COMMAND } from "./trust/command.ts";
import { CHAT_COMMAND } from "./tui/command.ts";
import { UPDATE_COMMAND } from "./update/command.ts";
import { USERS_COMMAND } from "./users/command.ts";
import { WEBHOOK_COMMAND } from "./webhook/command.ts";
import { canBeProfile, inOurWords, isPrompt, noCommandWords, withOurOption } from "./words-of-others.ts";

/** `agent completion`: knows the commands themselves, and so stands beside them. */
const COMPLETION_COMMAND = command("completion", "print what lets a shell complete commands and options", {
  takes: { shell: argument("<shell>", "bash, zsh or fish") },
  load: async () => {
    const { completionScript } = await import("./completion/completion.ts");
    return async (io, { shell }) => {
      const agent = describe(undefined, () => Promise.resolve());
      await write(io.stdout, completionScript(shell, agent));
    };
  },
});

/** All commands, in the order in which help lists them. */
const COMMANDS: readonly CommandDeclaration[] = [
  RUN_COMMAND,
  ACP_COMMAND,
  RPC_COMMAND,
  SESSIONS_COMMAND,
  STATS_COMMAND,
  PS_COMMAND,
  ATTACH_COMMAND,
  STOP_COMMAND,
  MODEL_COMMAND,
  SETUP_COMMAND,
  CONFIG_COMMAND,
  SKILLS_COMMAND,
  MEMORY_COMMAND,
  KB_COMMAND,
  PERSONA_COMMAND,
  APPROVALS_COMMAND,
  TRUST_COMMAND,
  SANDBOX_COMMAND,
  JOBS_COMMAND,
  WEBHOOK_COMMAND,
  USERS_COMMAND,
  CHATS_COMMAND,
  PAIR_COMMAND,
  CONNECTORS_COMMAND,
  MCP_COMMAND,
  PROFILE_COMMAND,
  FRONT_COMMAND,
  FLEET_COMMAND,
  GATEWAY_COMMAND,
  DASHBOARD_COMMAND,
  BACKUP_COMMAND,
  STORE_COMMAND,
  CLUSTER_COMMAND,
  UPDATE_COMMAND,
  DOCTOR_COMMAND,
  COMPLETION_COMMAND,
];

/** Parses the arguments and runs the command that they name; each command's code is loaded when it runs. */
export async function program(io: Io, argv: readonly string[]): Promise<number> {
  let code: number = EXIT.completed;
  await checkProfile(io, argv);
  const ours = inOurWords(argv);
  const asked = ours[0] === "help" ? [...ours.slice(1), "--help"] : [...ours];
  const agent = describe(asked[0], async (action) => {
    code = (await action(io)) ?? EXIT.completed;
  });
  const printed: Promise<void>[] = [];
  agent.exitOverride().configureOutput({
    writeOut: (text) => void printed.push(write(io.stdout, text)),
    writeErr: (text) => void io.stderr.write(text),
    outputError: (text, say) => say(linesFor(io.stderr, withOurOption(text.replace(/^error: /, "agent: ")))),
  });
  for (const command of agent.commands) inherit(agent, command);
  checkCommand(agent, asked);
  if (asked.some((word) => word === "-h" || word === "--help")) await describeUse(agent, io);
  try {
    await agent.parseAsync(asked, { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.completed : EXIT.usage;
    throw thrown;
  } finally {
    // Whether help could be written is known only then.
    await Promise.all(printed);
  }
}

/**
 * Refuses `-p ../x run …`: what stands before a command, or begins like a path, is meant as a profile and is no prompt.
 *
 * @throws HostError `command_usage` for what cannot be the name of one
 */
async function checkProfile({ env, cwd }: Io, [flag, word, next]: readonly string[]): Promise<void> {
  if (flag !== "-p" || word === undefined || /^-|\s/.test(word) || canBeProfile(word)) return;
  if (!COMMANDS.some(({ name }) => name === next) && !word.startsWith(".")) return;
  const { asUsage } = await import("../app/config/block.ts");
  asUsage(() => profileHome(baseHome(env, cwd), word));
}

/** For help: who starts the program takes this option from the beginning, since it decides on the home of all else. */
const PROFILE_OPTION = new Option(
  "-p, --profile <name>",
  "the profile whose home is used, before all else; AGENT_PROFILE chooses one too",
).argParser(() => {
  throw new InvalidArgumentError("It stands before all else: agent -p <name> …");
});

/** The program with the command that is asked for, or with all when none of them is. */
function describe(asked: string | undefined, start: Start): Command {
  const agent = CHAT_COMMAND.make(start, new Command("agent").version(packageVersion(), "-v, --version"))
    .addOption(PROFILE_OPTION)
    .enablePositionalOptions()
    .helpCommand("help [command]", "display help for a command")
    .showHelpAfterError("Run `agent --help` for all commands.");
  const named = COMMANDS.filter(({ name }) => name === asked);
  for (const { make } of named.length === 0 ? COMMANDS : named) agent.addCommand(make(start));
  return agent;
}

function inherit(from: Command, to: Command, path = `agent ${to.name()}`): void {
  to.copyInheritedSettings(from).showHelpAfterError(`Run \`${path} --help\` for how it is used.`);
  for (const command of to.commands) inherit(to, command, `${path} ${command.name()}`);
}

/** Ends the help of each command with examples of its use and the place of the home, which it works on. */
async function describeUse(agent: Command, { env, cwd }: Io): Promise<void> {
  const { EXAMPLES } = await import("./examples.ts");
  const add = (command: Command, path: string): void => {
    const examples = EXAMPLES[path] ?? [];
    if (examples.length > 0)
      command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
    for (const each of command.commands) add(each, `${path} ${each.name()}`.trim());
  };
  add(agent, "");
  agent.addHelpText("afterAll", () => `\nHome: ${homeWords(env, cwd)}`);
}

/** A home that cannot be named must not keep anybody from the help. */
function homeWords(env: Io["env"], cwd: string): string {
  try {
    return `${homePaths(env, cwd).home} (AGENT_HOME names another one)`;
  } catch (thrown) {
    return forTerminalLine(messageOf(thrown));
  }
}

/** @throws HostError `command_usage` for a word that is no command, with what was probably meant */
function checkCommand(of: Command, [word, ...rest]: readonly string[], path = ""): void {
  if (word === undefined || word.startsWith("-") || word === "help") return;
  if (path === "" && isPrompt(word)) return;
  const command = of.commands.find((each) => each.name() === word || each.aliases().includes(word));
  if (command !== undefined) {
    if (command.commands.length > 0) checkCommand(command, rest, `${word} `);
    return;
  }
  const here = path === "" ? noCommandWords(word) : undefined;
  if (here !== undefined)
    throw new HostError("command_usage", `There is no command "${word}". Here ${here}.`);
  const names = ["help", ...of.commands.map((each) => each.name())];
  const near = nearNames(word, names);
  const hint = near.length === 0 ? `Commands: ${names.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
  const prompt = path === "" ? " A prompt of one word goes to `agent run`." : "";
  throw new HostError("command_usage", `There is no command "${path}${word}". ${hint}${prompt}`);
}
