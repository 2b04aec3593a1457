import {
  eventLine,
  type Host,
  interruptionOf,
  sameTitleNote,
  type Session,
  type SessionRecord,
  type TranscriptEntry,
  promptText,
  readTranscript,
  statusOf,
} from "../../core/index.ts";
import { originWords } from "../../shared/text/origin-words.ts";
import { formatAge } from "../../shared/text/format.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { openAgent } from "../../app/compose.ts";
import { counted } from "../../shared/text/counted.ts";
import { defined } from "../../shared/json/defined.ts";
import { printJson } from "../terminal/output.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { entryText } from "./transcript-text.ts";

interface ListOptions {
  readonly json: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly source?: string;
  /** Hidden, child and empty sessions too. */
  readonly all: boolean;
}

/** `agent sessions list`: one line a session, the newest activity first. */
export async function printSessions(io: Io, options: ListOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { all, json, ...filter } = options;
  const records = await agent.host.list({
    ...filter,
    ...(all ? { includeChildren: true, includeHidden: true, includeEmpty: true } : {}),
  });
  if (json) return await printJson(io, records.map(sessionJson));
  const lines = records.map((record) => sessionLine(record, Date.now())).join("");
  await write(io.stdout, lines || "No sessions.\n");
}

function sessionLine({ id, state, owner, damaged }: SessionRecord, now: number): string {
  const { status } = statusOf(state, owner);
  const waits = state.queue.length > 0 ? "queued" : "";
  const interruption = interruptionOf(state);
  const rest = interruption === undefined ? waits : "interrupted";
  const mark = damaged ? "damaged" : status === "idle" ? rest : status;
  const from = originWords(state);
  const above =
    state.depth > 0
      ? `subagent of ${state.parentId ?? ""}: `
      : from === ""
        ? ""
        : `[${forTerminalLine(from)}] `;
  const title = above + forTerminalLine(state.title || state.preview || "(no prompt yet)");
  return `${id}  ${formatAge(now - state.activeAt).padStart(4)}  ${counted(state.counts.turns, "turn").padStart(10)}  ${mark.padEnd(11)}  ${title}${interruption === undefined ? "" : `  (${interruption})`}\n`;
}

/** A session as `--json` of the lists prints it. */
export function sessionJson({ id, state, owner, damaged }: SessionRecord): Record<string, unknown> {
  const { usage } = state;
  return {
    id,
    title: state.title,
    preview: state.preview,
    source: state.source,
    platform: state.platform,
    cwd: state.cwd,
    parent_session_id: state.parentId ?? null,
    started_at: state.createdAt / 1000,
    last_active: state.activeAt / 1000,
    ended_at: state.endedAt === undefined ? null : state.endedAt / 1000,
    end_reason: state.endReason ?? null,
    turn_count: state.counts.turns,
    message_count: state.counts.messages,
    tool_call_count: state.counts.toolCalls,
    model: state.settings.model ?? null,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cost_usd: usage.cost ?? null,
    status: statusOf(state, owner).status,
    interrupted: interruptionOf(state) ?? null,
    queued: state.queue.length,
    seq: state.seq,
    damaged,
  };
}

/** `agent sessions show`: the conversation to read. */
export async function showSession(
  io: Io,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const session = await foundSession(io, agent.host, id);
  const { entries } = await readTranscript(agent.host.services.store, session, {
    limit: Number.MAX_SAFE_INTEGER,
  });
  const { title, cwd, counts } = session.state;
  if (json) return await printJson(io, { id: session.id, title, messages: entries.map(entryJson) });
  await write(
    io.stdout,
    `${forTerminalLine(title || session.id)}\n${session.id}, ${counted(counts.turns, "turn")}, ${forTerminalLine(cwd)}\n`,
  );
  for (const entry of entries) await write(io.stdout, entryText(entry));
}

/** The session that some words name; which of several with one title it is stands on stderr. */
export async function foundSession(io: Io, host: Host, words: string): Promise<Session> {
  const found = await host.lookUp(words);
  const note = sameTitleNote(found);
  if (note !== "") await writeLines(io.stderr, `agent: ${forTerminalLine(note)}\n`);
  return await host.session(found.record.id);
}

function entryJson(entry: TranscriptEntry): Record<string, unknown> {
  const { role, seq, at } = entry;
  const base = { role, seq, timestamp: at / 1000 };
  switch (entry.role) {
    case "user":
      return { ...base, content: promptText(entry.parts) };
    case "steer":
    case "summary":
      return { ...base, content: entry.text };
    case "end":
      return { ...base, role: "system", content: entry.text, outcome: entry.outcome };
    case "assistant":
      return {
        ...base,
        content: entry.text,
        ...defined({ reasoning: entry.reasoning || undefined }),
        model: entry.model,
      };
    case "tool":
      return {
        ...base,
        content: entry.text,
        tool_call_id: entry.callId,
        tool_name: entry.name,
        label: entry.label,
        outcome: entry.outcome,
      };
  }
}

/** `agent sessions export`: every event as `agent run --json` prints it, from the first on. */
export async function exportSession(
  io: Io,
  { id, after }: { readonly id: string; readonly after: number },
): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const session = await foundSession(io, agent.host, id);
  for await (const event of session.events({ after, follow: false }))
    await write(io.stdout, eventLine(session.id, event));
}

/** `agent sessions delete`: for good, one after the other; what is not there is an error at the end. */
export async function deleteSessions(io: Io, { ids }: { readonly ids: readonly string[] }): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const missing: string[] = [];
  for (const id of ids) {
    try {
      const found = await agent.host.lookUp(id);
      // What cannot be taken back is not guessed.
      if (found.sameTitle.length > 0)
        throw new HostError("conflict", `${sameTitleNote(found)} Name the one to delete by its id.`);
      await agent.host.delete(found.record.id);
      await write(io.stdout, `Deleted ${found.record.id}.\n`);
    } catch (thrown) {
      if (!(thrown instanceof HostError) || thrown.code !== "session_not_found") throw thrown;
      missing.push(id);
    }
  }
  if (missing.length > 0)
    throw new HostError("session_not_found", `Session not found: ${missing.join(", ")}`);
}
