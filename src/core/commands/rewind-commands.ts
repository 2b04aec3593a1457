import { counted } from "../../shared/text/counted.ts";
import { formatAge } from "../../shared/text/format.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { RestoredFiles } from "../ports/checkpoints.ts";
import type { Session } from "../session.ts";
import type { Checkpoint, RewindScope, Rewound } from "../session/rewind.ts";
import { type CommandContext, defineCommands, done, type SlashCommandResult } from "./slash-command.ts";

const SCOPES: Readonly<Record<string, RewindScope>> = {
  conversation: "conversation",
  chat: "conversation",
  files: "files",
  code: "files",
  both: "both",
};
const PROMPT_CHARACTERS = 60;
const MOST_LISTED = 20;
const DIFF_CHARACTERS = 20_000;
const MOST_NAMED = 10;

/** Commands that go back to before a turn. */
export const REWIND_COMMANDS = defineCommands("Session", [
  {
    name: "rewind",
    args: "[turn] [conversation|files|both] [force]",
    description: "Go back to before a turn: the conversation, the files, or both; without a turn, list them",
    async withSession(session, argument, context) {
      const words = argument.split(/\s+/).filter((word) => word !== "");
      const [turn, ...rest] = words;
      if (turn === undefined) return done(await listText(session, context));
      const force = rest.includes("force");
      const [scope = "both", ...more] = rest.filter((word) => word !== "force");
      const known = SCOPES[scope];
      if (known === undefined || more.length > 0)
        throw usage("/rewind [turn] [conversation|files|both] [force]");
      return rewoundResult(await session.rewind({ turn: turnOf(turn), scope: known, force }));
    },
  },
  {
    name: "rollback",
    args: "[list|diff <n>|<n> [file]]",
    description: "Show what turns did to files, or put files back to before one",
    async withSession(session, argument, context) {
      const [, first = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument.trim()) ?? [];
      if (first === "" || first === "list") return done(await listText(session, context));
      if (first === "diff") {
        if (rest === "") throw usage("/rollback diff <n>");
        const diff = await session.checkpointDiff(turnOf(rest), DIFF_CHARACTERS);
        return done(diff === "" ? "It changed no file." : diff);
      }
      const paths = rest === "" ? {} : { paths: [rest] };
      return rewoundResult(await session.rewind({ turn: turnOf(first), scope: "files", ...paths }));
    },
  },
]);

const usage = (text: string): HostError => new HostError("command_usage", `Usage: ${text}`);

const turnOf = (word: string): string | number => (/^\d{1,9}$/.test(word) ? Number(word) : word);

async function listText(session: Session, { host }: CommandContext): Promise<string> {
  const all = await session.checkpoints();
  if (all.length === 0) return "Nothing was asked in this session yet.";
  const now = host.services.clock.now();
  const lines = all.slice(-MOST_LISTED).map((place) => checkpointLine(place, now));
  const before = all.length > MOST_LISTED ? [`(${all.length - MOST_LISTED} earlier)`] : [];
  return [...before, ...lines, "/rewind <n> [conversation|files|both] goes back to before one."].join("\n");
}

/** A place to go back to, in a line. */
export function checkpointLine(place: Checkpoint, now: number): string {
  const number = String(place.number).padStart(3);
  return `${number}  ${formatAge(now - place.at).padStart(4)}  ${placeName(place)}${filesWords(place)}`;
}

function placeName({ kind, text }: Checkpoint): string {
  if (kind === "rewind") return "(files were put back)";
  const mark = kind === "taken_back" ? "(taken back) " : "";
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line === "") return `${mark}(no text)`;
  const short =
    line.length <= PROMPT_CHARACTERS ? line : `${line.slice(0, PROMPT_CHARACTERS).toWellFormed()}…`;
  return mark + short;
}

function filesWords({ files }: Checkpoint): string {
  if (files === undefined) return "";
  if (files.dropped) return "  · files not restorable any more";
  const count = files.files.length + files.more;
  return count === 0 ? "" : `  · ${counted(count, "file")} +${files.added} -${files.removed}`;
}

function rewoundResult(rewound: Rewound): SlashCommandResult {
  const { checkpoint, turns } = rewound;
  const notice = rewoundText(rewound);
  return turns > 0 && checkpoint.text !== ""
    ? { type: "prefill", message: checkpoint.text, notice }
    : done(notice);
}

/** What a rewind did, in a few lines. */
export function rewoundText({ turns, files, notUndone }: Rewound): string {
  const lines = [
    ...(turns === 0 ? [] : [`Took back ${counted(turns, "turn")} of the conversation.`]),
    ...(files === undefined ? [] : filesLines(files)),
    ...(notUndone.length === 0
      ? []
      : ["Not undone, as it left this machine:", ...bounded(notUndone.map((line) => `  ${line}`))]),
  ];
  return lines.join("\n");
}

function filesLines({ restored, conflicts, failed }: RestoredFiles): readonly string[] {
  const reasons = (all: RestoredFiles["failed"]): readonly string[] =>
    bounded(all.map(({ path, reason }) => `  ${path}: ${reason}`));
  return [
    restored.length === 0 ? "No file was put back." : `Put back ${counted(restored.length, "file")}:`,
    ...bounded(restored.map((path) => `  ${path}`)),
    ...(conflicts.length === 0
      ? []
      : ["Left alone; `force`, or the file's name, overwrites them:", ...reasons(conflicts)]),
    ...(failed.length === 0 ? [] : ["Could not be put back:", ...reasons(failed)]),
  ];
}

const bounded = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_NAMED
    ? lines
    : [...lines.slice(0, MOST_NAMED), `  … and ${lines.length - MOST_NAMED} more`];
