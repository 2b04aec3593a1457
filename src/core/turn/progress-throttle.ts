import type { LiveEvent } from "../events/events.ts";
import type { Services } from "../ports/services.ts";
import type { ToolProgress } from "../ports/tool.ts";

/** News more often than this are of no use to anybody. */
const EVERY_MS = 100;
/** Characters of output that wait to be shown; of more, the first ones of a call, the newest later. */
const LONGEST_OUTPUT = 64 * 1024;

type Progress = Extract<LiveEvent, { type: "tool.progress" }>;

/**
 * Takes what a running call shows, as often as it likes, and gives it out ten times a second at most: the newest
 * preview, and all output since the last time. What a call showed last is never held back for good.
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
      // What a call shows first says what it does; what comes between that and its newest words says little.
      this.#output = all.slice(0, LONGEST_OUTPUT).toWellFormed();
      this.#skipped += over;
    } else {
      this.#output = all.slice(over).toWellFormed();
      this.#at += over;
    }
  }

  /** What is to be shown now, if anything is. */
  next(): Progress | undefined {
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

  /** Resolves when what was held back may be shown; stays open while nothing is. */
  due(): Promise<{ readonly kind: "due" }> {
    if (this.#preview === undefined) return NEVER;
    this.#due ??= new Promise((resolve) => {
      this.#cancelTimer = this.#services.clock.after(this.#wait(), () => resolve({ kind: "due" }));
    });
    return this.#due;
  }

  /** The call is over: its result says the rest. */
  close(): void {
    this.#cancelTimer();
  }

  #wait(): number {
    return this.#shownAt + EVERY_MS - this.#services.clock.monotonic();
  }
}

const NEVER = new Promise<never>(() => undefined);
