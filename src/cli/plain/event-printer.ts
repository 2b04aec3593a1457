import type { SessionEvent } from "../../core/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal-text.ts";

/** A session's events as lines that are only ever added to: no cursor movement, no spinner. */
export class EventPrinter {
  readonly #write: (text: string) => void;
  #atLineStart = true;
  #thinking = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  print(event: SessionEvent): void {
    switch (event.type) {
      case "message.delta":
        this.#thinking = false;
        return this.#text(event.text);
      case "reasoning.delta":
        if (!this.#thinking) this.line("(thinking)");
        this.#thinking = true;
        return;
      case "tool.start":
        return this.line(`* ${forTerminalLine(event.label)}`);
      case "tool.complete":
        return this.line(`  ${outcomeWords(event)}`);
      case "model.retry":
        return this.line(`! ${forTerminalLine(event.error.message)} Trying again.`);
      case "steer.delivered":
        return this.line("(your addition was delivered)");
      case "history.compress":
        return this.line("(the older part of the conversation was summarized)");
      case "history.compress_failed":
        return this.line(`! not summarized: ${forTerminalLine(event.reason)}`);
      case "background.complete":
        return this.line(`[${event.taskId}] ${forTerminal(event.text)}`);
      case "notice":
        return this.line(`! ${forTerminalLine(event.text)}`);
      case "turn.end":
        return this.#end(event);
      default:
    }
  }

  /** A line of its own, whatever was printed before. */
  line(text: string): void {
    this.#write(`${this.#atLineStart ? "" : "\n"}${text}\n`);
    this.#atLineStart = true;
  }

  #text(text: string): void {
    const clean = forTerminal(this.#atLineStart ? text.replace(/^\n+/, "") : text);
    if (clean === "") return;
    this.#write(clean);
    this.#atLineStart = clean.endsWith("\n");
  }

  #end({ outcome, error, undelivered = [] }: Extract<SessionEvent, { type: "turn.end" }>): void {
    if (!this.#atLineStart) this.#write("\n");
    this.#atLineStart = true;
    if (outcome === "failed") this.line(`! ${forTerminalLine(error?.message ?? "The turn failed.")}`);
    if (outcome === "cancelled" || outcome === "interrupted") this.line("(interrupted)");
    for (const text of undelivered) this.line(`! came too late, not delivered: ${forTerminalLine(text)}`);
  }
}

function outcomeWords({
  outcome,
  summary,
  durationMs,
  content,
}: Extract<SessionEvent, { type: "tool.complete" }>): string {
  const time = durationMs >= 1000 ? ` (${(durationMs / 1000).toFixed(1)} s)` : "";
  if (outcome === "ok") return `${forTerminalLine(summary ?? "done")}${time}`;
  const [text] = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return `${outcome}: ${forTerminalLine(summary ?? text ?? "").slice(0, 200)}${time}`;
}
