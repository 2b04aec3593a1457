import type { Result } from "../../../src/rpc/protocol/methods.ts";

/** A turn, and where its time went. */
export type TurnTimeline = Result<"session.timeline">["turns"][number];

/** Something that took time in a turn. */
export type TurnSpan = TurnTimeline["spans"][number];

/** A kind of what takes a turn's time. */
export type SpanKind = TurnTimeline["segments"][number]["kind"];

/** Kinds in the order of legends, with their words. */
export const KIND_WORDS: Readonly<Record<SpanKind, string>> = {
  model: "Model",
  tool: "Tools",
  subagent: "Subagents",
  waiting: "Waiting",
  retry: "Retries",
  compaction: "Summary",
  crash: "Crash",
  host: "Host",
};

/** The kinds. */
// The keys are those of the record.
export const KINDS = Object.keys(KIND_WORDS) as readonly SpanKind[];

/** A running turn as it is some time after it was asked for: what goes on has gone on. */
export function grown(turn: TurnTimeline, seconds: number): TurnTimeline {
  const last = turn.segments.at(-1);
  if (turn.ended_at !== undefined || seconds <= 0) return turn;
  const open = turn.spans.find(({ end }) => end === undefined)?.kind ?? "host";
  const kind = last?.kind ?? open;
  const start = last?.start ?? turn.started_at;
  const end = (last?.end ?? turn.started_at) + seconds;
  return {
    ...turn,
    segments: [...turn.segments.slice(0, -1), { kind, start, end }],
    totals_s: { ...turn.totals_s, [kind]: turn.totals_s[kind] + seconds },
  };
}

/** The end of a turn as far as it is known. */
export const endOf = (turn: TurnTimeline): number =>
  turn.ended_at ?? turn.segments.at(-1)?.end ?? turn.started_at;

/** Surfaces of the log as places. */
const PLACES: Readonly<Record<string, string>> = {
  gateway: "a window",
  tui: "the terminal",
  cli: "the command line",
  acp: "an editor",
  api: "the API",
  webhook: "a webhook",
  job: "a job",
  chat: "a chat",
  library: "a program",
};

interface Sender {
  readonly surface: string;
  readonly client?: string | undefined;
}

/** Says where something was done, and by whom where that is known. */
export const placeOf = ({ surface, client }: Sender): string =>
  surface === "dashboard" ? `the dashboard, by ${client ?? "the operator"}` : (PLACES[surface] ?? surface);
