import { duration } from "../../design/figures.ts";
import { KIND_WORDS, KINDS, type SpanKind, type TurnTimeline } from "../../session/timeline.ts";
import styles from "./timeline.module.css";

interface Stretch {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
}

/** More parts than this are not told apart: each column then shows what most of its time went into. */
const COLUMNS = 160;

/** Where a turn's time went, as one bar. Each kind has a pattern of its own beside its colour. */
export function TimeBar({ turn, start, end }: { readonly turn: TurnTimeline } & Omit<Stretch, "kind">) {
  const parts = turn.segments.length > COLUMNS ? columnsOf(turn.segments, { start, end }) : turn.segments;
  const length = Math.max(0.001, end - start);
  return (
    <div className={styles["bar"]} role="img" aria-label={`Time line: ${sharesText(turn)}`}>
      {parts.map((part) => (
        <span
          key={part.start}
          data-kind={part.kind}
          title={`${KIND_WORDS[part.kind]}, ${duration(part.end - part.start)}`}
          style={{ flexGrow: (part.end - part.start) / length }}
        />
      ))}
    </div>
  );
}

/** Kinds that took some of a turn's time, each with its seconds. */
export const sharesOf = ({ totals_s }: TurnTimeline): readonly (readonly [SpanKind, number])[] =>
  KINDS.flatMap((kind) => (totals_s[kind] < 0.05 ? [] : [[kind, totals_s[kind]] as const]));

const sharesText = (turn: TurnTimeline): string => {
  const shares = sharesOf(turn).map(([kind, seconds]) => `${KIND_WORDS[kind]} ${duration(seconds)}`);
  return shares.length === 0 ? "no time at all" : shares.join(", ");
};

function columnsOf(parts: readonly Stretch[], { start, end }: Omit<Stretch, "kind">): readonly Stretch[] {
  const width = (end - start) / COLUMNS;
  let at = 0;
  return Array.from({ length: COLUMNS }, (_, column) => {
    const from = start + column * width;
    const to = from + width;
    let most: Stretch = { kind: "host", start: from, end: from };
    while ((parts[at]?.end ?? end) <= from && at < parts.length - 1) at += 1;
    for (let index = at; (parts[index]?.start ?? to) < to; index += 1) {
      const { kind, ...part } = parts[index] ?? most;
      const within = { kind, start: Math.max(part.start, from), end: Math.min(part.end, to) };
      if (within.end - within.start > most.end - most.start) most = within;
    }
    return { kind: most.kind, start: from, end: to };
  });
}
