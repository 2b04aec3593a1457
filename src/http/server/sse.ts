/** One message of an event stream. `data` must be one line. */
export interface Frame {
  readonly event?: string;
  readonly id?: number;
  readonly data: string;
}

export function frameText({ event, id, data }: Frame): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const cursor = id === undefined ? "" : `id: ${id}\n`;
  return `${cursor}${name}data: ${data}\n\n`;
}

/** What readers skip, but what keeps a connection awake or tells people who look. */
export const comment = (text: string): string => `: ${text}\n\n`;

/** Of every event stream: nothing on the way may keep or collect it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
