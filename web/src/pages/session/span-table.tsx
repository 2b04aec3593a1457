import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Button } from "../../design/button.tsx";
import { count, dollars, duration } from "../../design/figures.ts";
import { Table } from "../../design/table.tsx";
import { KIND_WORDS, placeOf, type TurnSpan, type TurnTimeline } from "../../session/timeline.ts";
import styles from "./timeline.module.css";

interface SpanTableProps {
  readonly turn: TurnTimeline;
  readonly end: number;
}

/** Spans that are shown at first, and more at each click. */
const SHOWN = 50;

/** Each span of a turn: when, how long, and what there is to know about it. */
export function SpanTable({ turn, end }: SpanTableProps) {
  const [shown, setShown] = useState(SHOWN);
  const length = Math.max(0.001, end - turn.started_at);
  return (
    <>
      <Table caption="Time line of the turn">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" data-align="right">
              After
            </th>
            <th scope="col" data-align="right">
              Took
            </th>
            <th scope="col" className={styles["wide"]}>
              When
            </th>
            <th scope="col">About</th>
          </tr>
        </thead>
        <tbody>
          {turn.spans.slice(0, shown).map((span, at) => {
            const until = span.end ?? end;
            return (
              <tr key={at}>
                <td>
                  <span className={styles["swatch"]} data-kind={span.kind} aria-hidden="true" />
                  {KIND_WORDS[span.kind]}
                </td>
                <td data-align="right">{duration(span.start - turn.started_at)}</td>
                <td data-align="right">
                  {duration(until - span.start)}
                  {span.end === undefined ? " so far" : ""}
                </td>
                <td className={styles["wide"]}>
                  <svg className={styles["lane"]} aria-hidden="true">
                    <rect
                      data-kind={span.kind}
                      x={`${(100 * (span.start - turn.started_at)) / length}%`}
                      width={`${Math.max(0.5, (100 * (until - span.start)) / length)}%`}
                      height="100%"
                    />
                  </svg>
                </td>
                <td className={styles["about"]}>{aboutSpan(span)}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {shown < turn.spans.length ? (
        <Button onClick={() => setShown(shown + 4 * SHOWN)}>Show more of {turn.spans.length}</Button>
      ) : null}
    </>
  );
}

function aboutSpan(span: TurnSpan): ReactNode {
  switch (span.kind) {
    case "model": {
      const first =
        span.first_at === undefined ? [] : [`first text after ${duration(span.first_at - span.start)}`];
      const used =
        span.usage === undefined ? [] : [`${count(span.usage.input)} in, ${count(span.usage.output)} out`];
      const price = dollars(span.usage?.cost_usd);
      const parts = [span.model ?? "", ...first, ...used, price, span.failure ?? ""];
      return parts.filter((part) => part !== "").join(" · ");
    }
    case "retry":
      return `Before try ${span.attempt + 1}: ${span.failure}`;
    case "tool":
      return `${span.name} · ${span.label}${span.outcome === "ok" || span.outcome === undefined ? "" : ` · ${span.outcome}`}`;
    case "waiting":
      return `${span.about} · asked at ${placeOf(span.asked)} · ${answerOf(span)}`;
    case "compaction":
      return (
        span.failure ?? `${count(span.tokens_before ?? 0)} tokens became ${count(span.tokens_after ?? 0)}`
      );
    case "subagent":
      return (
        <>
          <Link to="/sessions/$id" params={{ id: span.child_session_id }}>
            {span.goal}
          </Link>
          {span.status === undefined ? "" : ` · ${span.status}`}
        </>
      );
    case "crash":
      return `The process died in this time, at ${span.during}, and another one took over at its end`;
  }
}

const CHOICES: Readonly<Record<string, string>> = {
  once: "allowed once",
  session: "allowed for the session",
  always: "always allowed",
  deny: "denied",
};

function answerOf({ outcome, choice, by }: Extract<TurnSpan, { readonly kind: "waiting" }>): string {
  if (outcome === undefined) return "nobody answered yet";
  if (outcome !== "answered") return outcome;
  const said = choice === undefined ? "answered" : (CHOICES[choice] ?? choice);
  return by === undefined ? said : `${said} from ${placeOf(by)}`;
}
