import type { Io } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isPrompt } from "../words-of-others.ts";
import { command } from "../command.ts";
import { CHAT_FLAGS, type ChatFlags } from "./chat-flags.ts";

/** `agent` without a command: the client on a terminal that can be drawn on, else plain lines. */
export const CHAT_COMMAND = command(
  "agent",
  "An agent that works in your folder. Without a command it opens a chat.",
  { takes: CHAT_FLAGS, load: () => Promise.resolve(runChat) },
);

/** Opens the chat that the flags describe, and gives its exit code. */
export async function runChat(io: Io, flags: ChatFlags): Promise<number | undefined> {
  checkPrompt(io, flags.prompt);
  const { canDraw, tui } = await import("./tui.ts");
  if (flags.plain !== true && canDraw(io)) return await tui(io, flags);
  return await (await import("./plain.ts")).chat(io, flags);
}

/** @throws HostError `command_usage` for a word that is probably a command, and where nobody can talk */
function checkPrompt({ stdin }: Io, prompt: string | undefined): void {
  if (prompt === undefined) return;
  if (!isPrompt(prompt))
    throw new HostError(
      "command_usage",
      `There is no command "${prompt}" after options. A prompt of one word goes to \`agent run\`.`,
    );
  if (stdin.isTTY !== true)
    throw new HostError(
      "command_usage",
      "A chat that begins with a prompt needs a terminal. `agent run` takes a prompt, and what is piped in.",
    );
}
