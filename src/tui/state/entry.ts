import { joinFacts } from "../text/facts.ts";

/** A tool call as it is shown, while it runs and afterwards. */
export interface ToolCard {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** Its tool looks things up for the model: files, searches. */
  readonly looksUp?: boolean;
  readonly startedAt: number;
  /** The newest lines of its output. */
  readonly preview: string;
  readonly diff: string;
  readonly end?: {
    readonly outcome: "ok" | "error" | "denied" | "cancelled" | "unknown";
    readonly seconds: number;
    /** One line of what came of it, or what went wrong. */
    readonly summary: string;
    readonly output: string;
    /** What was printed before the output that is kept. */
    readonly before?: Before;
  };
}

/** The part of an output before what is kept of it: its lines; where more was left out, how much was made in all. */
export interface Before {
  readonly lines: number;
  readonly made?: { readonly size: number; readonly unit: "bytes" | "characters" } | undefined;
}

/** The tone of a note, which gives it its colour. */
export type Tone = "info" | "ok" | "warn" | "error";

/** The status with which a turn ended. */
export type TurnStatus = "complete" | "interrupted" | "error";

/** A part of the transcript that is finished: it is printed once and then forgotten. */
export type Entry =
  | { readonly kind: "greeting"; readonly title: string; readonly lines: readonly string[] }
  | {
      readonly kind: "user";
      readonly text: string;
      readonly images: number;
      readonly from: string;
      readonly attached?: readonly string[];
    }
  | { readonly kind: "steer"; readonly text: string }
  /** Blocks of an answer; `continues` when the last entry ends within the same block. */
  | { readonly kind: "answer"; readonly text: string; readonly continues: boolean }
  /** A part of a block of code that is too long to wait for its end. */
  | { readonly kind: "code"; readonly text: string; readonly language: string; readonly continues: boolean }
  | { readonly kind: "thinking"; readonly text: string; readonly seconds: number }
  | { readonly kind: "tool"; readonly card: ToolCard }
  | {
      readonly kind: "shell";
      readonly command: string;
      readonly output: string;
      readonly code: number;
      readonly stopped: boolean;
      /** Lines that it printed: the output may have only the last ones. */
      readonly lines?: number | undefined;
      /** Its id in the background, where it goes on. */
      readonly background?: string | undefined;
    }
  | { readonly kind: "answered"; readonly question: string; readonly answer: string }
  | { readonly kind: "note"; readonly tone: Tone; readonly text: string }
  /** What was printed from a key on leaves the screen; `before` is the cursor of the log at which it was taken back. */
  | { readonly kind: "takenBack"; readonly from: number; readonly before?: number | undefined }
  /** The end of a turn: how it went, and what it took. */
  | { readonly kind: "turn"; readonly outcome: TurnStatus; readonly text: string };

/** A line of the client's own. */
export const note = (tone: Tone, text: string): Entry => ({ kind: "note", tone, text });

/** The end of a turn whose process died, and how to go on. */
export const interruptedEntries = (reason: string, figures = ""): readonly Entry[] => [
  { kind: "turn", outcome: "interrupted", text: joinFacts(reason, figures) },
  note("info", "/continue goes on where it was interrupted."),
];

/** Prompts that were queued when their process died run by themselves: how to keep them from it. */
export const QUEUED_RUNS: Entry = {
  kind: "note",
  tone: "warn",
  text: "This was queued before the interruption and runs now. Esc stops it, ↑ on an empty line takes back what still waits.",
};

/** Several of these in a row are read as one. */
const TOGETHER: ReadonlySet<Entry["kind"]> = new Set(["tool", "note", "answered"]);

/** Whether an entry stands apart from the one before it. */
export function standsApart(before: Entry["kind"] | undefined, entry: Entry): boolean {
  if (before === undefined) return false;
  if ((entry.kind === "code" || entry.kind === "answer") && entry.continues) return false;
  if (entry.kind === "turn") return false;
  if (entry.kind === "note" && entry.text.includes("\n")) return true;
  return !(entry.kind === before && TOGETHER.has(before));
}

/** The full text behind an entry that is printed in few lines. */
export interface Detail {
  readonly title: string;
  readonly text: string;
  /** The key of the newest entry when it came. */
  readonly after: number;
  /** It shows what was changed in files. */
  readonly isChange?: boolean;
}
