import { type ErrorCode, toHostError } from "../shared/errors/host-error.ts";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { canBeProfile } from "./words-of-others.ts";
import { homePaths } from "../app/config/home.ts";
import { EXIT, type Io, linesFor, writeLines } from "../app/process/io.ts";
import { forTerminalLine } from "../tui/terminal/terminal-text.ts";
import { processIo } from "../app/process/process-io.ts";

export { withoutLateFlags } from "../app/process/late-flags.ts";

/**
 * Runs the command of an argument list; the exit code is set when it is over.
 *
 * @param argv - without the program's own name
 * @param ahead - `greeting`: the editor on stdin and stdout, who is greeted already
 */
export async function main(argv: readonly string[], ahead: Pick<Io, "greeting"> = {}): Promise<void> {
  process.exitCode = EXIT.failed;
  // A compiled check saves microseconds; to compile each schema on its first use costs a start some 20 ms.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  try {
    const { command, profile } = splitProfile(argv);
    const own = processIo();
    const io = { ...own, ...ahead, worksForOne: FOR_ONE.test(command[0] ?? "") };
    const env = profile === undefined ? io.env : { ...io.env, AGENT_PROFILE: profile };
    const code = await runProgram({ ...io, env }, command);
    const loss = io.outputLoss();
    if (loss !== undefined) throw loss;
    process.exitCode = code;
  } catch (thrown) {
    process.stderr.write(linesFor(process.stderr, failureLine(thrown)));
  }
}

/** Takes `-p <name>` and its spellings from before the command. */
export function splitProfile(argv: readonly string[]): {
  readonly command: readonly string[];
  readonly profile?: string;
} {
  const [, attached] = /^(?:--profile=|-p=?)(.+)$/.exec(argv[0] ?? "") ?? [];
  if (attached !== undefined) return { command: argv.slice(1), profile: attached };
  const [flag, profile, ...command] = argv;
  if ((flag !== "-p" && flag !== "--profile") || profile === undefined) return { command: argv };
  if (flag === "-p" && !canBeProfile(profile)) return { command: argv };
  return { command, profile };
}

/** Commands that work for who has started them: an editor, a program, a person at a terminal. */
const FOR_ONE = /^(?:|-.*|run|exec|acp|rpc|attach|resume|continue|.*\s.*)$/s;

/** Runs a command and gives its exit code; what it throws is one line on stderr. */
export async function runProgram(io: Io, argv: readonly string[]): Promise<number> {
  try {
    await tellNewHome(io, argv);
    const { program } = await import("./program.ts");
    return await program(io, argv);
  } catch (thrown) {
    await writeLines(io.stderr, failureLine(thrown));
    return EXIT_CODES[toHostError(thrown).code] ?? EXIT.failed;
  }
}

/** Arguments with which nothing is kept anywhere. */
const KEEPS_NOTHING = /^(-h|--help|help|-v|--version|--schema|--bootstrap)$/;

/** Says once that a home is new: a mistyped one would look as if all sessions and settings were gone. */
async function tellNewHome({ env, cwd, stderr }: Io, argv: readonly string[]): Promise<void> {
  if (argv.some((argument) => KEEPS_NOTHING.test(argument))) return;
  const { home } = homePaths(env, cwd);
  // Where none can be made, the command says why.
  if (existsSync(home) || !canMake(home)) return;
  const by = (env["AGENT_HOME"]?.trim() ?? "") === "" ? "" : ", which AGENT_HOME names,";
  const words = `The home ${home}${by} is not there yet: this is a new one, without settings and sessions.`;
  await writeLines(stderr, `agent: ${forTerminalLine(words)}\n`);
}

function canMake(folder: string): boolean {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) return canMake(above);
  try {
    accessSync(above, constants.W_OK);
    return statSync(above).isDirectory();
  } catch {
    return false;
  }
}

/** The exit codes of errors; any other error is a failure. */
const EXIT_CODES: { readonly [Code in ErrorCode]?: number } = {
  command_usage: EXIT.usage,
  interrupted: EXIT.interrupted,
};

/** What to do after messages that are the same on all surfaces, and so do not say it. */
const REMEDIES: readonly (readonly [message: RegExp, remedy: string])[] = [
  [/^Session not found: [^.]+$/, ". `agent sessions list --all` shows them."],
  [/^Job not found$/, ". `agent jobs list --all` shows them."],
  [/^Cannot change .*no space is left\.$/s, " Free some space there, then try again."],
  [
    /^Cannot change .*the file system is read-only\.$/s,
    " Make it writable, or set AGENT_HOME to a folder that is.",
  ],
];

/** The one line that says why a command failed. */
function failureLine(thrown: unknown): string {
  const message = toHostError(thrown).message.trim();
  const [, remedy = ""] = REMEDIES.find(([failed]) => failed.test(message)) ?? [];
  return `agent: ${forTerminalLine(`${message}${remedy}`)}\n`;
}
