import type { Io } from "../../app/process/io.ts";
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
  const { canDraw, tui } = await import("./tui.ts");
  if (flags.plain !== true && canDraw(io)) return await tui(io, flags);
  return await (await import("./plain.ts")).chat(io, flags);
}
