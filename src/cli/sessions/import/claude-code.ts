import { z } from "zod";
import { textPart, type UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { checked } from "./file-lines.ts";
import type { FileValue, Imported } from "./imported.ts";
import { endpointWord, missingImage, plainText, timeOf } from "./told-text.ts";
import { ToldTurns } from "./told-turns.ts";

const text = z.string();
const Block = z.looseObject({
  type: text,
  text: text.optional(),
  thinking: text.optional(),
  id: text.optional(),
  name: text.optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: text.optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
type Block = z.output<typeof Block>;

const Message = z.looseObject({
  id: text.optional(),
  model: text.optional(),
  content: z.union([text, z.array(Block)]),
});

const Entry = z.looseObject({
  type: text,
  uuid: text.optional(),
  parentUuid: text.nullish(),
  logicalParentUuid: text.nullish(),
  sessionId: text.optional(),
  timestamp: text.optional(),
  cwd: text.optional(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  summary: text.optional(),
  customTitle: text.optional(),
  message: z.unknown().optional(),
});
type Entry = z.output<typeof Entry> & { readonly line: number };

/** Text of the program itself among a person's prompts: commands, their output, remarks about both. */
const NOT_SAID = /^\s*<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr))>/;

/** Whether a value is a line of a session of Claude Code. */
export const isClaudeCodeLine = (value: unknown): boolean =>
  z
    .union([
      z.looseObject({ type: text, sessionId: text, uuid: text }),
      z.looseObject({ type: z.literal("summary"), leafUuid: text }),
      z.looseObject({ type: z.literal("file-history-snapshot"), messageId: text }),
    ])
    .safeParse(value).success;

/**
 * Reads a session of Claude Code: the branch that its newest message ends. Work of its subagents is left out.
 *
 * @throws HostError `invalid_params` with the line
 */
export function readClaudeCode(lines: readonly FileValue[]): Imported {
  const entries = lines.map(({ line, value }) => ({ ...checked(Entry, value, line), line }));
  const turns = new ToldTurns();
  let sessionId: string | undefined;
  let cwd: string | undefined;
  let title: string | undefined;
  for (const entry of entries) title = entry.customTitle ?? entry.summary ?? title;
  for (const entry of branchOf(entries)) {
    sessionId ??= entry.sessionId;
    cwd = entry.cwd ?? cwd;
    if (entry.isMeta === true || entry.isCompactSummary === true) continue;
    tell(turns, entry);
  }
  return {
    past: { events: turns.events(), origin: "claude-code", ...defined({ originId: sessionId }) },
    ...defined({ cwd, title }),
  };
}

/**
 * The messages that lead to the newest one, in their order. Going back leaves branches behind. The results of calls that ran
 * beside each other follow the same message, so that all of those belong to it.
 */
function branchOf(entries: readonly Entry[]): readonly Entry[] {
  const said = entries.filter(
    ({ type, isSidechain, message }) =>
      (type === "user" || type === "assistant") && isSidechain !== true && message !== undefined,
  );
  const byId = new Map(entries.flatMap((entry) => (entry.uuid === undefined ? [] : [[entry.uuid, entry]])));
  const kept = new Set<Entry>();
  for (let entry = said.at(-1); entry !== undefined && !kept.has(entry);) {
    kept.add(entry);
    const parent = entry.parentUuid ?? entry.logicalParentUuid ?? undefined;
    entry = parent === undefined ? undefined : byId.get(parent);
  }
  return said.filter((entry) => {
    const parent = entry.parentUuid == null ? undefined : byId.get(entry.parentUuid);
    return kept.has(entry) || (parent !== undefined && kept.has(parent) && hasResult(entry));
  });
}

const hasResult = (entry: Entry): boolean => blocksOf(entry).some(({ type }) => type === "tool_result");

function blocksOf({ message, line }: Entry): readonly Block[] {
  const { content } = checked(Message, message, line);
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function tell(turns: ToldTurns, entry: Entry): void {
  const at = timeOf(entry.timestamp, entry.line);
  const blocks = blocksOf(entry);
  if (entry.type === "assistant") return tellReply(turns, entry, at);
  const parts: UserPart[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") {
      const outcome = block.is_error === true ? "error" : "ok";
      turns.result(endpointWord(block.tool_use_id ?? ""), { text: plainText(block.content), outcome }, at);
    } else if (block.type === "text" && !NOT_SAID.test(block.text ?? ""))
      parts.push(textPart(block.text ?? ""));
    else if (block.type === "image" || block.type === "document") parts.push(textPart(missingImage()));
  }
  if (parts.length > 0) turns.prompt(parts, at);
}

function tellReply(turns: ToldTurns, entry: Entry, at: number): void {
  const { id, model = "" } = checked(Message, entry.message, entry.line);
  const said = {
    at,
    model: model === "<synthetic>" ? "" : model,
    provider: "claude-code",
    ...defined({ name: id }),
  };
  for (const { type, text: words, thinking, name, input = {}, id: callId } of blocksOf(entry)) {
    if (type === "text") turns.reply(defined({ text: words }), said);
    else if (type === "thinking") turns.reply(defined({ reasoning: thinking }), said);
    else if (type === "tool_use" && callId !== undefined && name !== undefined)
      turns.reply({ call: { id: endpointWord(callId), name: endpointWord(name), input } }, said);
  }
}
