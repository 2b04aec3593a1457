import type { EventNamed } from "../events/events.ts";
import type { Services } from "../ports/services.ts";
import type { ToolProgress } from "../ports/tool.ts";

/** Milliseconds between two events of progress of one call. */
const EVERY_MS = 100;
/** Characters of output that wait to be shown; of more, the first ones of a call, the newest later. */
const LONGEST_OUTPUT = 64 * 1024;

/**
 * A throttle of a running call's progress: takes it as often as it comes and gives it out ten times a second at most,
 * the newest preview with all output since the last time. The last progress of a call is never lost.
 */
export class ProgressThrottle {
  readonly #services: Services;
  readonly #call: { readonly callId: string; readonly name: string };
  readonly #clean;
  #preview: string | undefined;
  #output = "";
  #at = 0;
  /** Characters left out after those that wait. */
  #skipped = 0;
  #shownAt = -Infinity;
  #due: Promise<{ readonly kind: "due" }> | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor(services: Services, call: { readonly callId: string; readonly name: string }) {
    this.#services = services;
    this.#call = call;
    this.#clean = services.redactor().stream();
  }

  take({ preview, output }: ToolProgress): void {
    this.#preview = this.#services.redactor().hide(preview.toWellFormed());
    if (output === undefined) return;
    const all = this.#output + this.#clean.push(output);
    const over = Math.max(0, all.length - LONGEST_OUTPUT);
    if (over === 0) this.#output = all;
    else if (this.#at === 0) {
      // The first output says what a call does. The middle, between that and the newest output, says little.
      this.#output = all.slice(0, LONGEST_OUTPUT).toWellFormed();
      this.#skipped += over;
    } else {
      this.#output = all.slice(over).toWellFormed();
      this.#at += over;
    }
  }

  /** Gives the progress that is due now, if any is. */
  next(): EventNamed<"tool.progress"> | undefined {
    const preview = this.#preview;
    if (preview === undefined || this.#wait() > 0) return undefined;
    this.#shownAt = this.#services.clock.monotonic();
    this.#cancelTimer();
    this.#due = undefined;
    this.#preview = undefined;
    const text = this.#output;
    const at = this.#at;
    this.#output = "";
    this.#at += text.length + this.#skipped;
    this.#skipped = 0;
    const output = text === "" ? {} : { output: { at, text } };
    return { type: "tool.progress", ...this.#call, preview, ...output };
  }

  /** Resolves when held-back progress is due; stays open while there is none. */
  due(): Promise<{ readonly kind: "due" }> {
    if (this.#preview === undefined) return NEVER;
    this.#due ??= new Promise((resolve) => {
      this.#cancelTimer = this.#services.clock.after(this.#wait(), () => resolve({ kind: "due" }));
    });
    return this.#due;
  }

  /** Ends it: the call's result says the rest. */
  close(): void {
    this.#cancelTimer();
  }

  #wait(): number {
    return this.#shownAt + EVERY_MS - this.#services.clock.monotonic();
  }
}

const NEVER = new Promise<never>(() => undefined);
