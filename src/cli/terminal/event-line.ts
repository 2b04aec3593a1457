import type { SessionEvent } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";

/** An event as one line of JSON: `type`, `seq`, `session_id` and `at` (Unix milliseconds) first, then its own fields. */
export function eventLine(sessionId: string, event: SessionEvent): string {
  const { type, seq, at, ...fields } = event;
  return `${JSON.stringify({ type, seq, session_id: sessionId, at, ...(snakeCased(fields) as object) })}\n`;
}

/** Keys whose values are other people's objects: their spelling is kept. */
const FOREIGN = new Set(["input", "items"]);

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      FOREIGN.has(key) ? part : snakeCased(part),
    ]),
  );
}
