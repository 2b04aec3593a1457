import { type ErrorCode, toHostError } from "../shared/errors/host-error.ts";
import { EXIT, type Io, write } from "../app/process/io.ts";
import { forTerminalLine } from "../tui/terminal/terminal-text.ts";
import { processIo } from "../app/process/process-io.ts";

/**
 * Runs the command of an argument list; the exit code is set when it is over.
 *
 * @param argv - without the program's own name
 */
export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = EXIT.failed;
  try {
    const { command, profile } = splitProfile(argv);
    const io = { ...processIo(), ...(await threadAhead(command)) };
    const env = profile === undefined ? io.env : { ...io.env, AGENT_PROFILE: profile };
    const code = await runProgram({ ...io, env }, command);
    const loss = io.outputLoss();
    if (loss !== undefined) throw loss;
    process.exitCode = code;
  } catch (thrown) {
    process.stderr.write(failureLine(thrown));
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
  return { command, profile };
}

/** Commands whose start somebody waits for, and that open the store. */
const AT_ONCE = /^(?:|-.*|run|acp|rpc|attach)$/;

/** The store's thread loads its program while this one loads the command. */
async function threadAhead(argv: readonly string[]): Promise<Pick<Io, "startThread">> {
  if (
    !AT_ONCE.test(argv[0] ?? "") ||
    argv.some((argument) => /^(-h|--help|--schema|--bootstrap)$/.test(argument))
  )
    return {};
  const { startThreadAhead } = await import("../providers/store/sqlite/worker-backend.ts");
  return { startThread: startThreadAhead() };
}

/** Runs a command and gives its exit code; what it throws is one line on stderr. */
export async function runProgram(io: Io, argv: readonly string[]): Promise<number> {
  try {
    const { program } = await import("./program.ts");
    return await program(io, argv);
  } catch (thrown) {
    await write(io.stderr, failureLine(thrown));
    return EXIT_CODES[toHostError(thrown).code] ?? EXIT.failed;
  }
}

/** The exit codes of errors; any other error is a failure. */
const EXIT_CODES: { readonly [Code in ErrorCode]?: number } = {
  command_usage: EXIT.usage,
  interrupted: EXIT.interrupted,
};

/** The one line that says why a command failed. */
function failureLine(thrown: unknown): string {
  return `agent: ${forTerminalLine(toHostError(thrown).message.trim())}\n`;
}
