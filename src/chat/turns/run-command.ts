import { type Session, type SlashCommandResult } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import type { InboxEntry } from "../inbox/entry.ts";
import { type ChatParts, originOf } from "./chat-parts.ts";

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
/** The first word that Telegram's clients send to a bot; harmless elsewhere. */
const GREETING = "start";

const nameIn = (text: string): string => /^\/([^\s@]+)/.exec(text.trim())?.[1]?.toLowerCase() ?? "";

/** Whether a command is carried out at once. */
export const isAtOnce = ({ commands }: Pick<ChatParts, "commands">, text: string): boolean =>
  AT_ONCE.has(commands.resolve(nameIn(text))?.name ?? "");

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
  const line = text.trim().replace(/^(\/[^\s@]+)@\S+/, "$1");
  const isApprover = settings().approvers.includes(from.id);
  if (command !== undefined && !EVERYBODYS.has(command.name) && !isApprover)
    return { say: `/${command.name} is for those who may approve here.` };
  if (command?.name === "new") {
    await places.renew(place, entry.id);
    return { say: "A new conversation begins." };
  }
  const conversation = await places.find(place);
  const session = conversation && (await sessionOf(parts, conversation.sessionId));
  const result = await commands.dispatch(line, {
    host,
    session,
    from: originOf(platform.name, from),
    workspace: { cwd: settings().workspace ?? "", roots: [] },
    signal,
    stopProcesses,
  });
  return await outcomeOf(result, { parts, entry });
}

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

async function sessionOf({ host }: Pick<ChatParts, "host">, id: string): Promise<Session | undefined> {
  try {
    return await host.session(id);
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "session_not_found") return undefined;
    throw thrown;
  }
}
