import { useLayoutEffect, useRef, useState } from "react";
import { type LogChoice, type NumberedLine, useLogTail } from "../../client/logs.ts";
import { Button } from "../../design/button.tsx";
import { classes } from "../../design/classes.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Choice, FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import styles from "./system.module.css";

const EVERYTHING = "debug";
const LEVELS = { warn: "Warnings and errors", error: "Errors" } as const;
const LOGS = { servers: "Servers", failures: "Failures of all processes" } as const;

/** What the program tells, as it comes. */
export function Logs() {
  const [{ q = "", state = "" }] = useFilters();
  const [log, setLog] = useState<string>("servers");
  const [isPaused, setPaused] = useState(false);
  const level = state === "" ? EVERYTHING : state;
  return (
    <Panel
      title="Logs"
      flush
      actions={
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Follow" : "Pause"}
        </Button>
      }
    >
      <div className={styles["filters"]}>
        <FilterBar label="Search the log">
          <ChoiceFilter label="Level" values={LEVELS} />
          <Choice label="Log" values={LOGS} value={log} onChange={setLog} />
        </FilterBar>
      </div>
      <Tail key={`${log} ${level} ${q}`} choice={{ log, level, q }} isPaused={isPaused} />
    </Panel>
  );
}

interface TailProps {
  readonly choice: LogChoice;
  readonly isPaused: boolean;
}

function Tail({ choice, isPaused }: TailProps) {
  const { lines, error } = useLogTail(choice, isPaused);
  const isAll = choice.q === "" && choice.level === EVERYTHING;
  return (
    <>
      <Fault error={error} />
      {lines?.length === 0 ? (
        <Empty title={isAll ? "Nothing is in this log yet" : "No line is like that"}>
          <p>
            {isAll
              ? "Requests, ends of turns, warnings and failures show here as they come."
              : "Take words out of the search, or choose a lighter level."}
          </p>
        </Empty>
      ) : (
        <Lines lines={lines ?? []} />
      )}
    </>
  );
}

const NEAR_END = 24;

/** Stays at the end as lines come, unless somebody has gone up to read. */
function Lines({ lines }: { readonly lines: readonly NumberedLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  return (
    <div
      ref={box}
      className={styles["log"]}
      tabIndex={0}
      role="log"
      aria-label="Lines of the log"
      aria-live="off"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      {lines.map((each) => (
        <Line key={each.number} {...each} />
      ))}
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

function Line({ line: { at, level, event, message, fields } }: NumberedLine) {
  const { stack, ...shown } = fields;
  const words = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
  return (
    <p className={styles["line"]} title={stack}>
      {at === undefined ? null : <time dateTime={at}>{clock.format(new Date(at))}</time>}{" "}
      <span className={classes(styles["level"], styles[level])}>{level}</span> <b>{event}</b> {message}{" "}
      <span className={styles["soft"]}>{words.join(" ")}</span>
    </p>
  );
}
