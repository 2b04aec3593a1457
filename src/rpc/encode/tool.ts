import type { SessionEvent, ToolContent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { GatewayPorts } from "../ports.ts";
import type { Payload } from "../protocol/events.ts";
import { diffsOf } from "./question.ts";
import { seconds } from "./time.ts";

type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;
type Input = Readonly<Record<string, unknown>>;

/** Characters of a result that go over the wire; the rest is kept by the host. */
const LARGEST_RESULT = 30_000;
/** The part of arguments and results that verbose clients get. */
const VERBOSE = { characters: 1000, lines: 16 };

export function encodeToolStart(
  event: EventOf<"tool.start">,
  { diff, verbose }: { readonly diff: GatewayPorts["diff"]; readonly verbose: boolean },
): Payload<"tool.start"> {
  const { callId, name, label, kind, input, content } = event;
  const changes = diffsOf(content ?? [], diff);
  return {
    tool_id: callId,
    name,
    context: label,
    kind,
    args: { ...input },
    ...defined({
      args_text: verbose ? tail(JSON.stringify(input, undefined, 2)) : undefined,
      inline_diff: changes === "" ? undefined : changes,
    }),
  };
}

export function encodeToolComplete(
  event: EventOf<"tool.complete">,
  {
    diff,
    verbose,
    input,
  }: { readonly diff: GatewayPorts["diff"]; readonly verbose: boolean; readonly input: Input },
): Payload<"tool.complete"> {
  const { callId, name, outcome, content, durationMs, summary, overflow, todos } = event;
  const text = textOf(content);
  const changes = diffsOf(content, diff);
  return {
    tool_id: callId,
    name,
    args: { ...input },
    ...resultOf(text, overflow),
    outcome,
    duration_s: seconds(durationMs),
    ...defined({
      summary,
      result_text: verbose ? tail(text) : undefined,
      inline_diff: changes === "" ? undefined : changes,
      todos: todos?.map((todo) => ({ ...todo })),
      error: outcome === "ok" ? undefined : firstLine(text) || outcome,
    }),
  };
}

/** A result that is JSON goes as what it says; one that is too long goes as its beginning, with where the rest is. */
function resultOf(
  text: string,
  overflow: EventOf<"tool.complete">["overflow"],
): Pick<Payload<"tool.complete">, "result" | "result_length" | "result_ref"> {
  const kept =
    overflow === undefined ? {} : { result_length: overflow.size, result_ref: `blob:${overflow.hash}` };
  if (text.length > LARGEST_RESULT) {
    return { result: text.slice(0, LARGEST_RESULT).toWellFormed(), result_length: text.length, ...kept };
  }
  return { result: parsed(text), ...kept };
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value) ? value : text;
  } catch {
    // It only looked like JSON.
    return text;
  }
}

function textOf(content: readonly ToolContent[]): string {
  return content
    .flatMap((part) => {
      switch (part.type) {
        case "text":
          return [part.text];
        case "image":
          return [`[image ${part.name ?? part.mediaType}]`];
        case "diff":
        case "terminal":
          return [];
      }
    })
    .join("\n");
}

function tail(text: string): string {
  const lines = text.slice(-VERBOSE.characters).split("\n");
  return lines.slice(-VERBOSE.lines).join("\n").toWellFormed();
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.slice(0, VERBOSE.characters) ?? "";
