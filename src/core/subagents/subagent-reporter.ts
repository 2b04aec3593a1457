import type { EventNamed, SessionEvent } from "../events/events.ts";
import type { SessionActor } from "../session/session-actor.ts";
import type { SubagentRef } from "../events/subagent-events.ts";
import { SubagentStats } from "./subagent-stats.ts";

const THOUGHT_CHARACTERS = 80;
/** Calls between two lines of progress. */
const PROGRESS_EVERY = 5;

/** The options of a `SubagentReporter`. */
export interface SubagentReporterOptions {
  readonly ref: SubagentRef;
  readonly parent: SessionActor;
  readonly childId: string;
  readonly onProgress: (text: string) => void;
  /** Told of what could not be saved. */
  readonly onError: (thrown: unknown) => void;
}

/** A reporter that tells a session what a subagent of its own does, from the subagent's events. */
export class SubagentReporter {
  readonly stats = new SubagentStats();
  readonly #options: SubagentReporterOptions;
  #thought = "";

  constructor(options: SubagentReporterOptions) {
    this.#options = options;
  }

  /** Shows above, too, what a subagent of the subagent does: there, it is about the call that asked for this one. */
  onDescendant(event: Extract<SessionEvent, { subagentId: string }>): void {
    const { ref, parent, onError } = this.#options;
    const { seq: _seq, at: _at, ...rest } = event;
    const below = { ...rest, callId: ref.callId };
    if (below.type === "subagent.start" || below.type === "subagent.complete")
      parent.run("subagent", { event: below }).catch(onError);
    else parent.writer.show(below);
  }

  /** Shows the first line of what is thought before each reply. */
  onReasoning({ text }: EventNamed<"reasoning.delta">): void {
    if (this.#thought.length >= THOUGHT_CHARACTERS) return;
    const all = (this.#thought + text).trimStart();
    const [line = ""] = all.split("\n");
    const isWhole = line.length < all.length || line.length >= THOUGHT_CHARACTERS;
    this.#thought = isWhole ? all.padEnd(THOUGHT_CHARACTERS) : all;
    if (!isWhole) return;
    const thought = line.slice(0, THOUGHT_CHARACTERS).toWellFormed();
    this.#post({ type: "subagent.thinking", text: thought });
  }

  onReply(event: EventNamed<"reply.complete">): void {
    this.stats.onReply(event);
    this.#thought = "";
  }

  onToolStart(event: EventNamed<"tool.start">): void {
    this.stats.onToolStart(event);
    const { toolCalls, newest } = this.stats;
    const { name: tool, label } = event;
    this.#options.onProgress(label === "" ? tool : label);
    this.#post({ type: "subagent.tool", tool, text: label });
    if (toolCalls % PROGRESS_EVERY === 0) this.#post({ type: "subagent.progress", text: newest.join(", ") });
  }

  #post(
    event:
      | { readonly type: "subagent.thinking" | "subagent.progress"; readonly text: string }
      | { readonly type: "subagent.tool"; readonly tool: string; readonly text: string },
  ): void {
    const { ref, parent, childId } = this.#options;
    parent.writer.show({ ...ref, childId, toolCalls: this.stats.toolCalls, ...event });
  }
}
