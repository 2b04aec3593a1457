import type { SessionEvent } from "../events/events.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** An event as one line of JSON: `type`, `seq`, `session_id` and `at` (Unix milliseconds) first, then its own fields. */
export function eventLine(sessionId: string, event: SessionEvent): string {
  const { type, seq, at, ...fields } = event;
  return `${JSON.stringify({ type, seq, session_id: sessionId, at, ...(snakeCased(fields) as object) })}\n`;
}

/** Keys whose values are other people's objects: their spelling is kept. */
const FOREIGN = new Set(["input", "items"]);

const snakeCased = (value: unknown): unknown =>
  withKeys(value, (key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The fields of an event's line, spelled as in the program. */
export const camelCased = (value: unknown): unknown =>
  withKeys(value, (key) => key.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()));

function withKeys(value: unknown, spell: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part: unknown) => withKeys(part, spell));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [spell(key), FOREIGN.has(key) ? part : withKeys(part, spell)]),
  );
}
