import { promptText, segmentText } from "../events/content.ts";
import type { DurableEvent } from "../events/events.ts";
import type { GivenMessage } from "../events/prompt.ts";
import type { FoundKind } from "../ports/store.ts";

/** Words that a search looks through, by who said them. */
export interface SaidWords {
  readonly kind: FoundKind;
  readonly text: string;
}

/** Longer values of a call's arguments are files and patches, not words. */
const LONGEST_ARGUMENT = 300;

/**
 * The words of an event that people look for: titles, prompts, answers, questions, and what a call was for. What tools put
 * out and what a model thinks is not among them.
 */
export function saidWords(event: DurableEvent): readonly SaidWords[] {
  switch (event.type) {
    case "title.set":
    case "session.branch":
      return said("title", event.title);
    case "turn.start":
      return said("prompt", promptText(event.prompt.parts));
    case "steer.delivered":
    case "background.start":
      return said("prompt", event.text);
    case "reply.complete":
      return said("answer", segmentText(event.segments, "text"));
    case "background.complete":
      return said("answer", event.text);
    case "clarify.request":
      return said("answer", [event.question, ...event.choices].join("\n"));
    case "clarify.resolved":
      return said("prompt", event.resolution.outcome === "answered" ? (event.resolution.text ?? "") : "");
    case "history.given":
      return [
        ...said("prompt", event.messages.map(givenBy("user")).join("\n")),
        ...said("answer", event.messages.map(givenBy("assistant")).join("\n")),
      ];
    case "tool.start":
      return said("tool", [event.name, event.label, ...shortValues(event.input, event.label)].join("\n"));
    default:
      return [];
  }
}

/** The events that have such words. */
export const SAID_IN: readonly DurableEvent["type"][] = [
  "title.set",
  "session.branch",
  "turn.start",
  "steer.delivered",
  "background.start",
  "reply.complete",
  "background.complete",
  "clarify.request",
  "clarify.resolved",
  "history.given",
  "tool.start",
];

const said = (kind: FoundKind, text: string): readonly SaidWords[] =>
  text.trim() === "" ? [] : [{ kind, text }];

const givenBy = (role: "user" | "assistant") => (message: GivenMessage) => {
  if (message.role !== role) return "";
  return message.role === "user" ? promptText(message.parts) : message.text;
};

/** The short texts among a call's arguments that its line for people does not say. */
const shortValues = (input: Readonly<Record<string, unknown>>, label: string): readonly string[] =>
  Object.values(input).filter(
    (value): value is string =>
      typeof value === "string" && value.length <= LONGEST_ARGUMENT && !label.includes(value),
  );
