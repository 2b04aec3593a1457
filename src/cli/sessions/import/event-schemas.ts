import { z } from "zod";
import { isErrorCode, type PastEvent, type UserPart } from "../../../core/index.ts";
import { MOST_CALLS } from "./told-turns.ts";
import { endpointWord, missingImage } from "./told-text.ts";

type Schemas = { readonly [Type in PastEvent["event"]["type"]]: z.ZodType<EventOf<Type>> };
type EventOf<Type> = Extract<PastEvent["event"], { type: Type }>;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const text = z.string();
/** As every model endpoint takes it. */
const word = text.min(1).transform(endpointWord);
const path = text.max(4096);
const json = z.record(z.string(), z.unknown());
const exact = <Schema extends z.ZodType>(schema: Schema) => z.exactOptional(schema);

const textPart = z.object({ type: z.literal("text"), text });
/** Pictures and outputs that were put aside stand in the store, not in the file. */
const imagePart = z
  .object({ type: z.literal("image"), name: text.max(256).optional() })
  .transform(({ name }) => ({ type: "text" as const, text: missingImage(name) }));

const userPart: z.ZodType<UserPart> = z.union([
  textPart,
  imagePart,
  z.object({
    type: z.literal("resource"),
    uri: path,
    mediaType: exact(text),
    text,
    aside: exact(z.enum(["file", "output"])),
    sensitive: exact(z.literal(true)),
  }),
  z.object({ type: z.literal("link"), uri: path, name: text, mediaType: exact(text) }),
]);

/** The parts of a prompt, as files have them. */
export const USER_PARTS = z.array(userPart);

const toolContent = z.union([
  textPart,
  imagePart,
  z.object({ type: z.literal("diff"), path, oldText: text.nullable(), newText: text }),
  z.object({
    type: z.literal("terminal"),
    terminalId: text,
    exitCode: z.number().nullable(),
    signal: text.nullable(),
  }),
]);

const usage = z.object({
  calls: count,
  input: count,
  output: count,
  reasoning: count,
  cacheRead: count,
  cacheWrite: count,
  cost: exact(z.number().min(0)),
});

const error = z.object({
  code: text.transform((code) => (isErrorCode(code) ? code : "internal")),
  message: text,
});
const call = z.object({ id: word, name: word, input: json, malformed: exact(text) });
const calls = z.array(call).max(MOST_CALLS);
const location = z.object({ path, line: exact(count) });
const finish = z.enum(["stop", "length", "tool_calls", "refusal", "interrupted", "error"]);
const kind = z.enum(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]);
const todo = z.object({
  id: text,
  content: text,
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
});
const from = z.object({ surface: text });
const turnId = text;

const given = z.union([
  z.object({ role: z.literal("user"), parts: USER_PARTS }),
  z.object({ role: z.literal("assistant"), text, calls: exact(calls) }),
  z.object({ role: z.literal("tool"), callId: word, text }),
]);

/**
 * The events of a log that are imported, as they stand in a file once their keys are spelled as here. What is not named is
 * left out: instructions, rights and settings of prompts, items that only their maker's endpoint reads, references to the store.
 */
export const EVENT_SCHEMAS: Schemas = {
  "history.given": z.object({ type: z.literal("history.given"), messages: z.array(given) }),
  "turn.start": z.object({
    type: z.literal("turn.start"),
    turnId,
    prompt: z.object({ id: text, parts: USER_PARTS }).transform((prompt) => ({
      ...prompt,
      from: { surface: "import" },
      questions: { mode: "ask" as const },
    })),
  }),
  "steer.accepted": z.object({ type: z.literal("steer.accepted"), turnId, steerId: text, text, from }),
  "steer.delivered": z.object({
    type: z.literal("steer.delivered"),
    turnId,
    steerIds: z.array(text),
    text,
  }),
  "reply.complete": z.object({
    type: z.literal("reply.complete"),
    turnId,
    segments: z.array(z.object({ kind: z.enum(["text", "reasoning"]), cursor: count, text })),
    calls,
    finish,
    usage,
    provider: text.max(256),
    model: text.max(256),
    askedAt: exact(count),
    firstAt: exact(count),
  }),
  "tool.start": z.object({
    type: z.literal("tool.start"),
    turnId,
    callId: word,
    name: word,
    kind,
    label: text,
    input: json,
    locations: exact(z.array(location)),
    content: exact(z.array(toolContent)),
    asks: exact(z.literal(true)),
  }),
  "tool.complete": z.object({
    type: z.literal("tool.complete"),
    turnId,
    callId: word,
    name: word,
    label: text,
    outcome: z.enum(["ok", "error", "denied", "cancelled", "unknown"]),
    content: z.array(toolContent),
    durationMs: z.number().min(0),
    summary: exact(text),
    todos: exact(z.array(todo)),
    locations: exact(z.array(location)),
    sensitive: exact(z.literal(true)),
  }),
  "process.complete": z.object({
    type: z.literal("process.complete"),
    processId: text,
    command: text,
    exitCode: z.number().nullable(),
    signal: text.nullable(),
    heard: exact(z.literal(true)),
  }),
  "process.told": z.object({ type: z.literal("process.told"), turnId, processIds: z.array(text), text }),
  "todos.cleared": z.object({ type: z.literal("todos.cleared") }),
  notice: z.object({
    type: z.literal("notice"),
    level: z.enum(["info", "warn", "error"]),
    kind: text,
    text,
  }),
  "history.undo": z.object({
    type: z.literal("history.undo"),
    keep: count,
    turns: count,
    files: exact(z.array(path)),
    restored: exact(count),
  }),
  "history.compress": z.object({
    type: z.literal("history.compress"),
    from: count,
    to: count,
    summary: text,
    tokensBefore: count,
    tokensAfter: count,
    usage,
    automatic: z.boolean(),
  }),
  "message.complete": z.object({
    type: z.literal("message.complete"),
    turnId,
    from: count,
    status: z.enum(["complete", "interrupted", "error"]),
    usage,
    finish: exact(z.enum(["length", "refusal"])),
    error: exact(error),
    reason: exact(text),
    stoppedBy: exact(text),
  }),
  "turn.end": z.object({
    type: z.literal("turn.end"),
    turnId,
    outcome: z.enum(["completed", "cancelled", "failed", "interrupted"]),
    usage,
    finish: exact(finish),
    error: exact(error),
    reason: exact(text),
    undelivered: exact(z.array(text)),
    lostAfter: exact(count),
  }),
};
