/** Encodes one message of an event stream. `data` must be one line. */
export function encodeSse({
  event,
  id,
  data,
}: {
  readonly event?: string;
  readonly id?: number;
  readonly data: string;
}): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const cursor = id === undefined ? "" : `id: ${id}\n`;
  return `${cursor}${name}data: ${data}\n\n`;
}

/** Encodes a comment: clients skip it, but it keeps a connection awake, or tells something to people who look. */
export const sseComment = (text: string): string => `: ${text}\n\n`;

/** The headers of every event stream: nothing on the way may keep or buffer it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
