import type { DurableEvent, EventNamed, LiveEvent } from "../events/events.ts";
import type { SubagentNews } from "../events/subagent-events.ts";

/** A live event, the time when it was posted, and the cursor of what had been said by then: that is shown first. */
export interface PostedEvent {
  readonly event: LiveEvent;
  readonly at: number;
  readonly behind: number;
  readonly version: number;
}

/** A running call as it is shown: its latest preview, and the newest part of its output in the pieces in which it came. */
interface Running {
  latest: PostedEvent & { readonly event: EventNamed<"tool.progress"> };
  pieces: { readonly version: number; readonly at: number; readonly text: string }[];
  size: number;
}

const NEWEST_NOTES = 20;
/** Characters of a running call's output that slow and late readers can still get. */
const OUTPUT_KEPT = 64 * 1024;

/**
 * A session's live events, which are in no log: the latest preview and the newest output of each running call, the
 * newest progress of each subagent, and the last few notes. Readers pull them like the log: a late or slow reader sees
 * the newest state, not a queue.
 */
export class EphemeralState {
  /** A count of what was posted. */
  version = 0;
  readonly #running = new Map<string, Running>();
  readonly #notes: PostedEvent[] = [];
  /** The newest event of each kind of each running subagent: many subagents must not crowd the notes out. */
  readonly #subagents = new Map<string, PostedEvent & { readonly event: SubagentNews }>();

  post(event: LiveEvent, { at, behind }: Pick<PostedEvent, "at" | "behind">): void {
    this.version += 1;
    const posted = { version: this.version, at, behind };
    if (event.type === "tool.progress") return this.#progress({ ...posted, event });
    if ("subagentId" in event) {
      this.#subagents.set(`${event.subagentId} ${event.type}`, { ...posted, event });
      return;
    }
    this.#notes.push({ ...posted, event });
    if (this.#notes.length > NEWEST_NOTES) this.#notes.shift();
  }

  /** Drops what a row has made superfluous: the preview of a call that ended, the progress of a subagent that is done. */
  settleBy(event: DurableEvent): void {
    if (event.type === "tool.complete") this.#running.delete(event.callId);
    // The row says all that the announcement said.
    if (event.type === "subagent.start")
      this.#subagents.delete(`${event.subagentId} subagent.spawn_requested`);
    if (event.type === "subagent.complete") {
      for (const [key, { event: shown }] of this.#subagents)
        if (shown.subagentId === event.subagentId) this.#subagents.delete(key);
    }
  }

  clear(): void {
    this.#running.clear();
    this.#subagents.clear();
    this.#notes.length = 0;
  }

  /** Notes after one version, and previews after another, with the output that is kept; oldest first. */
  after(notes: number, previews = notes): readonly PostedEvent[] {
    const progress = [...this.#running.values()].map((running) => withOutput(running, previews));
    return [
      ...progress.filter((entry) => entry.version > previews),
      ...[...this.#subagents.values(), ...this.#notes].filter((entry) => entry.version > notes),
    ].sort((a, b) => a.version - b.version);
  }

  #progress(entry: Running["latest"]): void {
    const { callId, output } = entry.event;
    const running = this.#running.get(callId) ?? { latest: entry, pieces: [], size: 0 };
    running.latest = entry;
    if (output !== undefined) {
      running.pieces.push({ version: entry.version, ...output });
      running.size += output.text.length;
      let oldest = running.pieces[0];
      while (oldest !== undefined && running.size - oldest.text.length >= OUTPUT_KEPT) {
        running.size -= oldest.text.length;
        running.pieces.shift();
        oldest = running.pieces[0];
      }
    }
    // The one that showed something last comes last.
    this.#running.delete(callId);
    this.#running.set(callId, running);
  }
}

/** The latest progress, with all output that came after a version in one piece; what lies before a gap is left out. */
function withOutput({ latest, pieces }: Running, version: number): PostedEvent {
  const { output: _last, ...event } = latest.event;
  const news = pieces.filter((piece) => piece.version > version);
  const gap = news.findLastIndex((piece, index) => {
    const next = news[index + 1];
    return next !== undefined && piece.at + piece.text.length !== next.at;
  });
  const run = news.slice(gap + 1);
  const [first] = run;
  if (first === undefined) return { ...latest, event };
  const text = run.map((piece) => piece.text).join("");
  return { ...latest, event: { ...event, output: { at: first.at, text } } };
}
