import { contentText, segmentText } from "../events/content.ts";
import type { EventNamed } from "../events/events.ts";
import type { SubagentComplete } from "../events/subagent-events.ts";

const MOST_FILES = 40;
const TAIL = 8;
const TAIL_CHARACTERS = 600;

/** A count of what a subagent does, from its session's events, with what its parent is told in the end. */
export class SubagentStats {
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  #tail: SubagentComplete["outputTail"] = [];
  /** The names of the newest calls, oldest first; at most five. */
  newest: readonly string[] = [];
  /** The text of its newest reply that had any. */
  answer = "";
  toolCalls = 0;

  onReply({ segments }: EventNamed<"reply.complete">): void {
    const text = segmentText(segments, "text").trim();
    if (text !== "") this.answer = text;
  }

  onToolStart({ name, kind, locations = [] }: EventNamed<"tool.start">): void {
    this.toolCalls += 1;
    this.newest = [...this.newest, name].slice(-5);
    const paths = kind === "read" ? this.#read : this.#written;
    if (kind !== "read" && kind !== "edit" && kind !== "delete" && kind !== "move") return;
    for (const { path } of locations) if (paths.size < MOST_FILES) paths.add(path);
  }

  onToolComplete({ name, outcome, content }: EventNamed<"tool.complete">): void {
    const preview = contentText(content).slice(0, TAIL_CHARACTERS).toWellFormed();
    this.#tail = [...this.#tail, { tool: name, preview, isError: outcome !== "ok" }].slice(-TAIL);
  }

  totals(): Pick<SubagentComplete, "toolCalls" | "filesRead" | "filesWritten" | "outputTail"> {
    return {
      toolCalls: this.toolCalls,
      filesRead: [...this.#read],
      filesWritten: [...this.#written],
      outputTail: this.#tail,
    };
  }
}
