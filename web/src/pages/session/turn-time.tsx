import { memo, useEffect, useState } from "react";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { count, dollars, duration } from "../../design/figures.ts";
import { endOf, grown, KIND_WORDS, type TurnTimeline } from "../../session/timeline.ts";
import { SpanTable } from "./span-table.tsx";
import { sharesOf, TimeBar } from "./time-bar.tsx";
import styles from "./timeline.module.css";

interface TurnTimeProps {
  readonly turn: TurnTimeline;
  /** When it was read, by this machine's clock; milliseconds. */
  readonly readAt: number;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onFork: (turn: TurnTimeline) => void;
  readonly onRewind: (turn: TurnTimeline) => void;
}

const TICK_MS = 1000;

/** The end of a turn on the page: where its time went, what it cost, and ways to go on from it. */
export const TurnTime = memo(function TurnTime(props: TurnTimeProps) {
  const { turn: known, readAt, isOpen, onOpen, onFork, onRewind } = props;
  const isRunning = known.ended_at === undefined;
  const now = useNow(isRunning);
  const turn = grown(known, (now - readAt) / 1000);
  const end = endOf(turn);
  const waited = turn.queued_at === undefined ? 0 : turn.started_at - turn.queued_at;
  const facts = [
    ...sharesOf(turn).map(([kind, seconds]) => `${KIND_WORDS[kind]} ${duration(seconds)}`),
    ...(waited > 0.05 ? [`queued ${duration(waited)} before`] : []),
    ...(turn.usage.calls === 0 ? [] : [`${count(turn.usage.total)} tokens`]),
    ...[dollars(turn.usage.cost_usd)].filter((text) => text !== ""),
  ];
  return (
    <section className={styles["turn"]} aria-label={`Turn, ${duration(end - turn.started_at)}`}>
      <TimeBar turn={turn} start={turn.started_at} end={end} />
      <div className={styles["row"]}>
        <strong className="numeric">{duration(end - turn.started_at)}</strong>
        {OUTCOMES[turn.outcome ?? ""] ?? null}
        <span className={styles["facts"]}>{facts.join(" · ")}</span>
        <Button look="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          Time line
        </Button>
        {isRunning ? null : (
          <>
            <Button look="quiet" onClick={() => onFork(turn)}>
              Fork here
            </Button>
            <Button look="quiet" onClick={() => onRewind(turn)}>
              Rewind
            </Button>
          </>
        )}
      </div>
      {isOpen ? <SpanTable turn={turn} end={end} /> : null}
    </section>
  );
});

const OUTCOMES: Readonly<Record<string, React.ReactNode>> = {
  cancelled: <Badge tone="warn">Stopped</Badge>,
  failed: <Badge tone="bad">Failed</Badge>,
  interrupted: <Badge tone="bad">Interrupted</Badge>,
};

function useNow(ticks: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}
