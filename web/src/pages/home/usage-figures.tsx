import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { DailyUsageWire } from "../../../../src/dashboard/api/usage-routes.ts";
import { usageQuery } from "../../client/usage.ts";
import { Chart } from "../../design/chart.tsx";
import { Fault } from "../../design/fault.tsx";
import { count, duration } from "../../design/figures.ts";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Table, TableHead } from "../../design/table.tsx";
import { Tiles } from "../../design/tiles.tsx";
import { senderWords } from "../../session/senders.ts";
import styles from "./home.module.css";

const DAYS = 30;

/** What was used today and in 30 days, by whom, on which surface, as which persona; how long answers took, and how often people were asked. */
export function UsageFigures() {
  const { data, error } = useQuery(usageQuery(DAYS));
  if (data === undefined) return <Fault error={error} />;
  if (data.total.turns === 0)
    return (
      <Panel title="Usage">
        <Empty title="Nothing was used in the last 30 days">
          <p>Cost, turns and answer times show here once somebody has asked the agent something.</p>
        </Empty>
      </Panel>
    );
  return (
    <>
      {data.complete ? null : <p role="status">Older turns are still being read; they will be added.</p>}
      <Sums usage={data} />
      <Charts usage={data} />
      <div className={row["columns"]}>
        <Shares
          title="By person"
          rows={data.by_person.map(({ person, user, ...sums }) => ({
            name: user ?? senderWords(person),
            ...sums,
          }))}
        />
        <Shares
          title="By surface"
          rows={data.by_surface.map(({ surface, ...sums }) => ({ name: senderWords(surface), ...sums }))}
        />
        {data.by_persona.some(({ persona }) => persona !== "") ? (
          <Shares
            title="By persona"
            rows={data.by_persona.map(({ persona, ...sums }) => ({ name: persona || "None", ...sums }))}
          />
        ) : null}
      </div>
    </>
  );
}

const took = (ms: number): string => duration(ms / 1000);
const price = (value: number): string => `$${value.toFixed(2)}`;

function Sums({ usage: { total, by_day: days } }: { readonly usage: DailyUsageWire }) {
  const [today] = days;
  const { answer_ms: answers, question_wait_ms: waits } = total;
  return (
    <Tiles
      tiles={[
        { name: "Turns today", value: count(today?.turns ?? 0), more: `${count(total.turns)} in 30 days` },
        {
          name: "Cost today",
          value: price(today?.cost_usd ?? 0),
          more: `${price(total.cost_usd)} in 30 days${total.unpriced_calls > 0 ? ", some prices are not known" : ""}`,
        },
        {
          name: "Answered within",
          value: answers === null ? "–" : took(answers.median),
          more: answers === null ? "no answer yet" : `95 of 100 within ${took(answers.p95)}`,
        },
        {
          name: "Questions asked today",
          value: count(today?.questions ?? 0),
          more: `${count(total.questions)} in 30 days${waits === null ? "" : `, answered within ${took(waits.median)}`}`,
        },
      ]}
    />
  );
}

function Charts({ usage: { by_day: newestFirst } }: { readonly usage: DailyUsageWire }) {
  const charts = useMemo(() => {
    const days = newestFirst.toReversed();
    const values = (of: (day: (typeof days)[number]) => number | null) => days.map(of);
    return {
      days: days.map(({ day }) => day),
      cost: [
        { name: "Cost", color: "--series-1", form: "bars", values: values(({ cost_usd }) => cost_usd) },
      ] as const,
      turns: [
        { name: "Turns", color: "--series-2", form: "bars", values: values(({ turns }) => turns) },
      ] as const,
      answers: [
        {
          name: "Half within",
          color: "--series-1",
          form: "line",
          values: values(({ answer_ms }) => answer_ms?.median ?? null),
        },
        {
          name: "95 of 100 within",
          color: "--series-3",
          form: "line",
          values: values(({ answer_ms }) => answer_ms?.p95 ?? null),
        },
      ] as const,
      questions: [
        {
          name: "Questions",
          color: "--series-4",
          form: "bars",
          values: values(({ questions }) => questions),
        },
      ] as const,
    };
  }, [newestFirst]);
  return (
    <div className={row["columns"]}>
      <Panel title="Cost by day">
        <Chart label="Cost by day" days={charts.days} series={charts.cost} format={price} />
      </Panel>
      <Panel title="Turns by day">
        <Chart label="Turns by day" days={charts.days} series={charts.turns} format={count} />
      </Panel>
      <Panel title="Time to the answer">
        <Chart label="Time to the answer by day" days={charts.days} series={charts.answers} format={took} />
      </Panel>
      <Panel title="Questions asked by day">
        <Chart label="Questions asked by day" days={charts.days} series={charts.questions} format={count} />
      </Panel>
    </div>
  );
}

interface ShareRow {
  readonly name: string;
  readonly turns: number;
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

function Shares({ title, rows }: { readonly title: string; readonly rows: readonly ShareRow[] }) {
  const most = Math.max(1, ...rows.map(({ turns }) => turns));
  return (
    <Panel title={title} flush>
      <Table caption={`${title}, 30 days`}>
        <TableHead
          columns={[
            "Name",
            { name: "Turns", look: "right" },
            { name: "Tokens", look: "right" },
            { name: "Cost", look: "right" },
          ]}
        />
        <tbody>
          {rows.map((each) => (
            <tr key={each.name}>
              <td>
                {each.name}
                <span className={styles["share"]} style={{ width: `${(each.turns / most) * 100}%` }} />
              </td>
              <td data-align="right">{count(each.turns)}</td>
              <td data-align="right">{count(each.input_tokens + each.output_tokens)}</td>
              <td data-align="right">{price(each.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}
