/** A point in a reply at which the server waits until the test lets it go on. */
export interface Gate {
  /** Resolves when a reply has come here and all before it is written. */
  readonly reached: Promise<void>;
  open(): void;
}

interface HeldGate extends Gate {
  readonly opened: Promise<void>;
  arrive(): void;
}

export function gate(): HeldGate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return { reached: reached.promise, opened: opened.promise, open: opened.resolve, arrive: reached.resolve };
}

/** One step of a scripted reply, in no dialect. */
export type Step =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "call";
      readonly name: string;
      readonly arguments: string;
      readonly id: string;
      /** Into how many frames the arguments are cut. */
      readonly pieces: number;
    }
  | { readonly type: "gate"; readonly gate: HeldGate }
  /** An event of the dialect as it is, for shapes that no other step makes. */
  | { readonly type: "event"; readonly value: unknown };

/** Numbers as an endpoint counts them; the dialect puts them into its own words. */
export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** A good reply: what is said, and how it ends. */
export interface Reply {
  readonly steps: readonly Step[];
  /** In the words of the dialect; by default what fits the steps. `null`: the reply ends without one. */
  readonly finish?: string | null;
  /** `null`: none is sent; something else than numbers goes out as it is. */
  readonly usage?: ReplyUsage | { readonly raw: unknown } | null;
  readonly fault?: Fault;
  /** All frames in one write, as fast servers send them. */
  readonly together?: boolean;
}

/** An answer that is no reply: a status with a body. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Where in an answer something goes wrong. In an answer without calls, `mid-arguments` is the end of its text. */
export const POSITIONS = [
  "before-headers",
  "after-headers",
  "first-token",
  "mid-word",
  "mid-arguments",
  "before-usage",
  "after-usage",
] as const;

export type Position = (typeof POSITIONS)[number];

/** What ends an answer early, or keeps it from ending. */
export const BREAKS = ["reset", "stall", "half-close", "cut"] as const;

/** What comes into a streamed answer that goes on after it. */
export const INTRUSIONS = [
  "noise-line",
  "garbage-data",
  "truncated-json",
  "invalid-utf8",
  "huge-line",
  "unknown-event",
  "error-event",
  "comments",
  "bad-chunk",
  "trickle",
] as const;

export type FaultName = (typeof BREAKS)[number] | (typeof INTRUSIONS)[number];

export interface Fault {
  readonly name: FaultName;
  readonly at: Position;
}

export const say = (...texts: readonly string[]): readonly Step[] =>
  texts.map((text) => ({ type: "text", text }));
export const think = (...texts: readonly string[]): readonly Step[] =>
  texts.map((text) => ({ type: "reasoning", text }));
export const waitAt = (held: HeldGate): Step => ({ type: "gate", gate: held });
export const rawEvent = (value: unknown): Step => ({ type: "event", value });

let calls = 0;

/** @param input - the arguments: text as it is, anything else as JSON */
export function callTool(
  name: string,
  input: unknown,
  options: { readonly id?: string; readonly pieces?: number } = {},
): Step {
  calls += 1;
  return {
    type: "call",
    name,
    arguments: typeof input === "string" ? input : JSON.stringify(input),
    id: options.id ?? `call_${calls}`,
    pieces: options.pieces ?? 3,
  };
}

export function reply(
  steps: readonly (Step | readonly Step[])[] | string,
  options: Omit<Reply, "steps"> = {},
): Reply {
  return { ...options, steps: typeof steps === "string" ? say(steps) : steps.flat() };
}

/** Pieces of a text, as many as asked for when it is long enough; none is empty unless the text is. */
export function cut(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return text.length === 0
    ? [""]
    : Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}
