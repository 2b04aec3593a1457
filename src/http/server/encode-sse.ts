/** One message of an event stream. `data` must be one line. */
export interface SseMessage {
  readonly event?: string;
  readonly id?: number;
  readonly data: string;
}

export function encodeSse({ event, id, data }: SseMessage): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const cursor = id === undefined ? "" : `id: ${id}\n`;
  return `${cursor}${name}data: ${data}\n\n`;
}

/** What readers skip, but what keeps a connection awake or tells people who look. */
export const sseComment = (text: string): string => `: ${text}\n\n`;

/** Of every event stream: nothing on the way may keep or collect it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
