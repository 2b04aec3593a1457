import { open } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import {
  type CommandContext,
  conversationMarkdown,
  readTranscript,
  requireSession,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { systemReason } from "../config/home.ts";

/**
 * Writes a session's conversation to a new file, by default into its folder.
 *
 * @throws HostError `session_not_found`, `invalid_params` when the file exists or cannot be written
 */
export async function exportConversation(context: CommandContext, file: string): Promise<string> {
  const { host } = context;
  const session = requireSession(context, "export");
  const state = await session.refresh();
  const named = file === "" ? `conversation-${session.id}.md` : file;
  const path = isAbsolute(named) ? named : resolve(state.cwd, named);
  const { entries } = await readTranscript(host.services.store, session, { limit: Number.MAX_SAFE_INTEGER });
  const title = state.title || `Session ${session.id}`;
  const text = path.endsWith(".json")
    ? `${JSON.stringify({ session_id: session.id, title, cwd: state.cwd, messages: entries }, undefined, 2)}\n`
    : conversationMarkdown(title, entries);
  try {
    await using opened = await open(path, "wx", 0o600);
    await opened.writeFile(text);
  } catch (cause) {
    throw new HostError(
      "invalid_params",
      `Cannot write ${path}: ${systemReason(cause)}. Name another file: /export <file>.`,
      { cause },
    );
  }
  return `Written to ${path}.`;
}
