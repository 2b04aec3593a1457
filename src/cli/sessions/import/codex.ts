import { z } from "zod";
import { textPart, type UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { isJsonObject, parseForeignJson } from "../../../shared/json/json.ts";
import { checked } from "./file-lines.ts";
import type { FileValue, Imported } from "./imported.ts";
import { endpointWord, plainText, timeOf } from "./told-text.ts";
import { ToldTurns } from "./told-turns.ts";

const text = z.string();
const Line = z.object({ timestamp: text.optional(), type: text, payload: z.unknown() });
const Meta = z.looseObject({ id: text, cwd: text.optional() });
const Context = z.looseObject({ model: text.optional(), cwd: text.optional() });
const UserMessage = z.looseObject({ type: z.literal("user_message"), message: text });
const Item = z.looseObject({
  type: text,
  role: text.optional(),
  content: z.unknown().optional(),
  summary: z.unknown().optional(),
  name: text.optional(),
  arguments: text.optional(),
  input: text.optional(),
  action: z.unknown().optional(),
  call_id: text.nullish(),
  output: z.unknown().optional(),
});
type Item = z.output<typeof Item>;

/** Text of the program itself among a person's prompts. */
const NOT_SAID =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|user_shell_command)\b|# AGENTS\.md instructions)/;

/** Whether a value is a line of a session of Codex. */
export const isCodexLine = (value: unknown): boolean =>
  z
    .object({ type: z.enum(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]) })
    .extend({ payload: z.looseObject({}) })
    .safeParse(value).success;

/** The id and the folder of a session, when a line of its file names them. */
export function codexMeta(value: unknown): z.output<typeof Meta> | undefined {
  const found = z.object({ type: z.literal("session_meta"), payload: Meta }).safeParse(value);
  return found.success ? found.data.payload : undefined;
}

/** @throws HostError `invalid_params` with the line */
export function readCodex(lines: readonly FileValue[]): Imported {
  const entries = lines.map(({ line, value }) => ({ ...checked(Line, value, line), line }));
  // Newer files tell apart what the person wrote and what the program put around it.
  const isTold = entries.some(
    ({ type, payload }) => type === "event_msg" && UserMessage.safeParse(payload).success,
  );
  const turns = new ToldTurns();
  let originId: string | undefined;
  let cwd: string | undefined;
  let model = "";
  for (const { line, type, payload, timestamp } of entries) {
    const at = timeOf(timestamp, line);
    if (type === "session_meta") {
      const meta = checked(Meta, payload, line);
      originId ??= meta.id;
      cwd ??= meta.cwd;
    } else if (type === "turn_context") {
      const context = checked(Context, payload, line);
      model = context.model ?? model;
      cwd = context.cwd ?? cwd;
    } else if (type === "event_msg") {
      const said = UserMessage.safeParse(payload);
      if (said.success) turns.prompt([textPart(said.data.message)], at);
    } else if (type === "response_item") {
      const item = checked(Item, payload, line);
      if (item.role !== "user") tell(turns, item, { at, model, provider: "codex" });
      else if (!isTold) tellPrompt(turns, item, at);
    }
  }
  return {
    past: { events: turns.events(), origin: "codex", ...defined({ originId }) },
    ...defined({ cwd }),
  };
}

function tellPrompt(turns: ToldTurns, { content }: Item, at: number): void {
  const said = plainText(content);
  const parts: readonly UserPart[] = said === "" || NOT_SAID.test(said) ? [] : [textPart(said)];
  if (parts.length > 0) turns.prompt(parts, at);
}

function tell(
  turns: ToldTurns,
  item: Item,
  said: { readonly at: number; readonly model: string; readonly provider: string },
): void {
  const id = endpointWord(item.call_id ?? "");
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? turns.reply({ text: plainText(item.content) }, said) : undefined;
    case "reasoning":
      return turns.reply({ reasoning: plainText(item.summary) }, said);
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call": {
      const call = { id, name: endpointWord(item.name ?? "shell"), input: inputOf(item) };
      return turns.reply({ call }, said);
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return turns.result(id, resultOf(item.output), said.at);
    default:
  }
}

/** The input of a call: an object in JSON, a text, or an action. */
function inputOf({ arguments: given, input, action }: Item): Readonly<Record<string, unknown>> {
  if (isJsonObject(action)) return action;
  if (given === undefined) return { input: input ?? "" };
  try {
    const value = parseForeignJson(given);
    return isJsonObject(value) ? value : { input: given };
  } catch {
    // The model wrote something else.
    return { input: given };
  }
}

/** Outputs of commands come as JSON in a text, with the exit code beside them. */
function resultOf(output: unknown): { readonly text: string; readonly outcome: "ok" | "error" } {
  const Wrapped = z.looseObject({
    output: text.optional(),
    content: z.unknown().optional(),
    success: z.boolean().nullish(),
    metadata: z.looseObject({ exit_code: z.number().optional() }).optional(),
  });
  const wrapped = Wrapped.safeParse(typeof output === "string" ? parsedOr(output) : output);
  if (!wrapped.success) return { text: plainText(output), outcome: "ok" };
  const { output: inner, content, success, metadata } = wrapped.data;
  if (inner === undefined && content === undefined) return { text: plainText(output), outcome: "ok" };
  const failed = success === false || (metadata?.exit_code ?? 0) !== 0;
  return { text: inner ?? plainText(content), outcome: failed ? "error" : "ok" };
}

function parsedOr(output: string): unknown {
  if (!output.startsWith("{")) return output;
  try {
    return parseForeignJson(output);
  } catch {
    // It only looks like JSON.
    return output;
  }
}
