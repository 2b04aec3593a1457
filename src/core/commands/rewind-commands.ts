import { counted } from "../../shared/text/counted.ts";
import { formatAge } from "../../shared/text/format.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { RestoredFiles } from "../ports/checkpoints.ts";
import type { Session } from "../session.ts";
import type { Checkpoint, RewindScope, Rewound } from "../session/rewind.ts";
import { nothingToUndo } from "../session/take-back.ts";
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
    name: "undo",
    inOrder: true,
    args: "[n] [conversation|files|both]",
    description: "Take back the last prompt, or the last n, with what came of them; both: with the files",
    async withSession(session, argument) {
      const { count, scope } = undoWish(argument);
      return scope === "conversation"
        ? await undoConversation(session, count)
        : rewoundResult(await session.rewind({ turn: await lastTurn(session, count), scope }));
    },
  },
  {
    name: "rewind",
    inOrder: true,
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
    inOrder: true,
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

/** @throws HostError `command_usage` */
function undoWish(argument: string): { readonly count: number; readonly scope: RewindScope } {
  const words = argument.split(/\s+/).filter((word) => word !== "");
  const counts = words.filter((word) => /^\d{1,9}$/.test(word)).map(Number);
  const [scope = "conversation", ...more] = words.filter((word) => !/^\d{1,9}$/.test(word));
  const known = SCOPES[scope];
  const [count = 1] = counts;
  if (known === undefined || more.length > 0 || counts.length > 1 || count < 1)
    throw usage("/undo [number of turns] [conversation|files|both]");
  return { count, scope: known };
}

async function undoConversation(session: Session, count: number): Promise<SlashCommandResult> {
  const taken = (await session.checkpoints()).filter(({ kind }) => kind === "turn").slice(-count);
  const [message = ""] = await session.undo(count);
  const took = count === 1 ? "Took back the last turn." : `Took back ${count} turns.`;
  const first = taken.find(({ files }) => files !== undefined && !files.dropped);
  const place = (await session.checkpoints()).find(({ turnId }) => turnId === first?.turnId);
  const stay =
    place && ` Files that were changed stay as they are: /rewind ${place.number} files puts them back.`;
  return { type: "prefill", message, notice: took + (stay ?? ""), told: true };
}

/** The oldest of the last turns. @throws HostError `nothing_to_undo` */
async function lastTurn(session: Session, count: number): Promise<string> {
  const turns = (await session.checkpoints()).filter(({ kind }) => kind === "turn");
  const found = turns.at(-count) ?? turns[0];
  if (found === undefined) throw nothingToUndo();
  return found.turnId;
}

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
  const { checkpoint, turns, files, notUndone } = rewound;
  const notice = rewoundText(rewound);
  const reasons = (files?.conflicts.length ?? 0) + (files?.failed.length ?? 0) + notUndone.length;
  const told = reasons === 0 && turns + (files?.restored.length ?? 0) > 0 ? { told: true as const } : {};
  return turns > 0 && checkpoint.text !== ""
    ? { type: "prefill", message: checkpoint.text, notice, ...told }
    : { type: "done", output: notice, ...told };
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

function filesLines({ restored, removed, conflicts, failed }: RestoredFiles): readonly string[] {
  const gone = new Set(removed);
  const back = restored.filter((path) => !gone.has(path));
  const reasons = (all: RestoredFiles["failed"]): readonly string[] =>
    bounded(all.map(({ path, reason }) => `  ${path}: ${reason}`));
  return [
    ...(restored.length === 0 ? ["No file was put back."] : []),
    ...namedLines("Restored", back),
    ...namedLines("Removed", removed),
    ...(conflicts.length === 0
      ? []
      : ["Left alone; `force`, or the file's name, overwrites them:", ...reasons(conflicts)]),
    ...(failed.length === 0 ? [] : ["Could not be put back:", ...reasons(failed)]),
  ];
}

const namedLines = (did: string, paths: readonly string[]): readonly string[] =>
  paths.length === 0
    ? []
    : [`${did} ${counted(paths.length, "file")}:`, ...bounded(paths.map((path) => `  ${path}`))];

const bounded = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_NAMED
    ? lines
    : [...lines.slice(0, MOST_NAMED), `  … and ${lines.length - MOST_NAMED} more`];
