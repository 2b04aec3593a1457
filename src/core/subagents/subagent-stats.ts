import { contentText, segmentText } from "../events/content.ts";
import type { SessionEvent } from "../events/events.ts";
import type { SubagentComplete } from "../events/subagent-events.ts";

type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

const MOST_FILES = 40;
const TAIL = 8;
const TAIL_CHARACTERS = 600;

/** A count of what a subagent does, from its session's events, with what its parent is told in the end. */
export class SubagentStats {
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  #tail: SubagentComplete["outputTail"] = [];
  #tools: readonly string[] = [];
  #answer = "";
  #lastTool: string | undefined;
  #calls = 0;

  get toolCalls(): number {
    return this.#calls;
  }

  get lastTool(): string | undefined {
    return this.#lastTool;
  }

  /** The names of the newest calls, oldest first; at most five. */
  get newest(): readonly string[] {
    return this.#tools;
  }

  /** The text of its newest reply that had any. */
  get answer(): string {
    return this.#answer;
  }

  onReply({ segments }: EventOf<"reply.complete">): void {
    const text = segmentText(segments, "text").trim();
    if (text !== "") this.#answer = text;
  }

  onToolStart({ name, kind, locations = [] }: EventOf<"tool.start">): void {
    this.#calls += 1;
    this.#lastTool = name;
    this.#tools = [...this.#tools, name].slice(-5);
    const paths = kind === "read" ? this.#read : this.#written;
    if (kind !== "read" && kind !== "edit" && kind !== "delete" && kind !== "move") return;
    for (const { path } of locations) if (paths.size < MOST_FILES) paths.add(path);
  }

  onToolComplete({ name, outcome, content }: EventOf<"tool.complete">): void {
    const preview = contentText(content).slice(0, TAIL_CHARACTERS).toWellFormed();
    this.#tail = [...this.#tail, { tool: name, preview, isError: outcome !== "ok" }].slice(-TAIL);
  }

  totals(): Pick<SubagentComplete, "toolCalls" | "filesRead" | "filesWritten" | "outputTail"> {
    return {
      toolCalls: this.#calls,
      filesRead: [...this.#read],
      filesWritten: [...this.#written],
      outputTail: this.#tail,
    };
  }
}
