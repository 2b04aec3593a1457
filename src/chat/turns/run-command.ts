import type { SlashCommand, SlashCommandResult } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import type { InboxEntry } from "../inbox/entry.ts";
import { PENDING_COMMAND, runPending } from "../approvals/pending-approvals.ts";
import { type ChatParts, isOfAnother, originOf } from "./chat-parts.ts";
import { sessionIfThere } from "./session-if-there.ts";

/** The outcome of a command: words for the chat, or a prompt to be sent. */
export type CommandOutcome = { readonly say: string } | { readonly prompt: string };

/** Commands about one's own conversation. All others reach beyond it, or change what is allowed: approvers only. */
const EVERYBODYS: ReadonlySet<string> = new Set([
  "new",
  "title",
  "undo",
  "continue",
  "retry",
  "queue",
  "confirm",
  "steer",
  "compress",
  "stop",
  "help",
  "status",
  "usage",
]);
/** Commands that do not wait behind the messages before them. */
const AT_ONCE: ReadonlySet<string> = new Set(["stop", "steer", "status", "help", "queue", "usage"]);
const HELP = "help";
/** The first word that Telegram's clients send to a bot; harmless elsewhere. */
const GREETING = "start";

/** A platform takes the bot's own name off a command: one that still has a name is none of the host's. */
const nameIn = (text: string): string => /^\/([^\s@]+)(?=\s|$)/.exec(text.trim())?.[1]?.toLowerCase() ?? "";

/** Whether a command is carried out at once. */
export const isAtOnce = ({ commands }: Pick<ChatParts, "commands">, text: string): boolean =>
  nameIn(text) === PENDING_COMMAND.name || AT_ONCE.has(commands.resolve(nameIn(text))?.name ?? "");

/** Whether a text is a command of the host. */
export const isHostCommand = (text: string): boolean => nameIn(text) !== "";

/** Carries out a command of the host in a place. */
export async function runCommand(
  parts: ChatParts,
  entry: InboxEntry,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { event } = entry;
  const { text, from, place } = event as IncomingMessage;
  const { host, commands, places, platform, settings, stopProcesses } = parts;
  const name = nameIn(text);
  const command = commands.resolve(name);
  if (command === undefined && name === GREETING)
    return { say: "Hello. Write to me; /help lists what else I know." };
  const line = text.trim();
  const isApprover = settings().approvers.includes(from.id);
  if (name === PENDING_COMMAND.name) return { say: await pending(parts, entry, line) };
  if (command !== undefined && !EVERYBODYS.has(command.name) && !isApprover)
    return { say: notForYou(command.name) };
  if (command?.name === HELP) return { say: helpWords(commands.all(), isApprover) };
  if (command?.name === "new") {
    await places.renew(place, entry.id);
    return { say: "A new conversation begins." };
  }
  const conversation = await places.find(place);
  const there = conversation && (await sessionIfThere(parts, conversation.sessionId));
  const session = there && ((await isOfAnother(parts, entry, there)) ? undefined : there);
  try {
    const result = await commands.dispatch(line, {
      host,
      session,
      from: originOf(platform.name, from),
      workspace: { cwd: settings().workspace ?? "", roots: [] },
      signal,
      stopProcesses,
    });
    return await outcomeOf(result, { parts, entry });
  } catch (thrown) {
    // A conversation has its session from its first message on. Other commands may name one that is not there.
    const isOwn = EVERYBODYS.has(command?.name ?? "") && session === undefined;
    if (!isOwn || toHostError(thrown).code !== "session_not_found") throw thrown;
    return { say: "Nothing has been said in this conversation yet." };
  }
}

/** The commands that somebody may use, as a list that is read in any letters. */
function helpWords(all: readonly SlashCommand[], isApprover: boolean): string {
  const allowed = isApprover ? [...all, PENDING_COMMAND] : all.filter(({ name }) => EVERYBODYS.has(name));
  return allowed.map(({ name, description }) => `- \`/${name}\` ${description}`).join("\n");
}

/** What other conversations ask for is for approvers, and shown where nobody else reads it. */
async function pending(
  { host, platform, settings }: ChatParts,
  { event: { from, place } }: InboxEntry,
  line: string,
): Promise<string> {
  const { approvers, approvals } = settings();
  if (!approvers.includes(from.id)) return notForYou(PENDING_COMMAND.name);
  if (place.kind !== "direct" && place.chatId !== approvals)
    return `Write /${PENDING_COMMAND.name} to me directly: here others would read what they did not ask.`;
  const argument = line.slice(line.indexOf(PENDING_COMMAND.name) + PENDING_COMMAND.name.length).trim();
  return await runPending(host, argument, originOf(platform.name, from));
}

const notForYou = (command: string): string => `/${command} is for those who may approve here.`;

async function outcomeOf(
  result: SlashCommandResult,
  { parts, entry }: { readonly parts: ChatParts; readonly entry: InboxEntry },
): Promise<CommandOutcome> {
  switch (result.type) {
    case "done":
      return { say: `\`\`\`\n${result.output}\n\`\`\`` };
    case "send":
      return { prompt: result.message };
    case "prefill":
      return {
        say: [result.notice, result.message].filter((text) => text !== undefined && text !== "").join("\n\n"),
      };
    case "switch":
      await parts.places.switch(entry.event.place, entry.id, result.sessionId);
      return { say: result.output };
    case "quit":
      return { say: "A chat has nothing to quit; /new begins another conversation." };
  }
}
