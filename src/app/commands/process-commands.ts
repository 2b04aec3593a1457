import {
  type CommandContext,
  defineCommands,
  done,
  requireSession,
  type SlashCommand,
} from "../../core/index.ts";
import { type BackgroundProcess, type BackgroundProcesses } from "../../providers/tools/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { cleanOutput } from "../../shared/text/control-sequences.ts";
import { formatAge } from "../../shared/text/format.ts";
import { processEndWords, shortCommand } from "../../shared/text/process-words.ts";

const USAGE = "Usage: /processes [<id> | end <id>]";
/** Characters of a command's output that are shown: the last ones. */
const SHOWN = 20_000;

/** The command that lists, reads and ends the commands in the background, for clients without a list of their own. */
export const processCommands = (background: BackgroundProcesses): readonly SlashCommand[] =>
  defineCommands("Session", [
    {
      name: "processes",
      aliases: ["ps", "bashes"],
      args: "[<id> | end <id>]",
      description: "List the commands in the background, read one or end one",
      async run(context, argument) {
        const [first = "", second = "", ...more] = argument.split(/\s+/);
        if (more.length > 0 || (first !== "end" && second !== ""))
          throw new HostError("command_usage", USAGE);
        if (first === "") return done(listing(background, context));
        const process = find(background, context, first === "end" ? second : first);
        if (first !== "end") return done(printed(process));
        if (process.exit !== undefined) return done("It was over already.");
        await process.child.kill();
        return done(`Ended: ${shortCommand(process.command)}`);
      },
    },
  ]);

function listing(background: BackgroundProcesses, context: CommandContext): string {
  const { id, state } = requireSession(context, "processes");
  const now = context.host.services.clock.now();
  const here = background.list(id);
  const elsewhere = state.processes.filter(({ processId }) => here.every((each) => each.id !== processId));
  const lines = [
    ...here.map(
      (each) =>
        `${each.id}  ${status(each)}, ${formatAge(now - each.startedAt)}: ${shortCommand(each.command)}`,
    ),
    ...elsewhere.map(
      ({ processId, command }) => `${processId}  running in another process of the agent: ${command}`,
    ),
    ...state.background.map(({ taskId, text }) => `${taskId}  a prompt, running: ${text}`),
  ];
  if (lines.length === 0) return "Nothing runs in the background.";
  return [...lines, "/processes <id> shows what one printed, /processes end <id> ends it."].join("\n");
}

const status = ({ exit }: BackgroundProcess): string =>
  exit === undefined ? "running" : processEndWords({ exitCode: exit.code, signal: exit.signal });

/** @throws HostError `not_found` */
function find(background: BackgroundProcesses, context: CommandContext, id: string): BackgroundProcess {
  const found = background.list(requireSession(context, "processes").id).find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new HostError(
    "not_found",
    `No command ${id} was started in the background here. /processes lists them.`,
  );
}

function printed(process: BackgroundProcess): string {
  const text = cleanOutput(process.output.since(0).text).slice(-SHOWN).toWellFormed().trimEnd();
  return `${text === "" ? "(no output)" : text}\n[${process.id}: ${status(process)}]`;
}
