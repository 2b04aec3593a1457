import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./chart.module.css";
import { Table } from "./table.tsx";

/** A line or row of bars of a chart. */
interface Series {
  readonly name: string;
  /** One for each day; `null` where there is none. */
  readonly values: readonly (number | null)[];
  /** The design's colour: `--series-1`, … */
  readonly color: `--series-${1 | 2 | 3 | 4 | 5}`;
  readonly form: "bars" | "line";
}

interface ChartProps {
  /** What it shows, for people who hear the page. */
  readonly label: string;
  /** As `2026-11-22`, the oldest first. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const HEIGHT = 160;
const MOST_BAR = 24;
const DAY_S = 86_400;

/** Figures by day, drawn in the colours of the page, and the same as a table. */
export function Chart({ label, days, series, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const draw = (): UPlot => new UPlot(optionsOf(current, series, format), dataOf(days, series), current);
    let plot = draw();
    const redraw = (): void => {
      plot.destroy();
      plot = draw();
    };
    const size = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }));
    size.observe(current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    const chosen = new MutationObserver(redraw);
    chosen.observe(document.documentElement, { attributeFilter: ["data-scheme"] });
    return () => {
      size.disconnect();
      chosen.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [days, series, format]);
  return (
    <figure className={styles["chart"]} aria-label={label}>
      <p className={styles["legend"]}>
        {series.map(({ name, color }) => (
          <span key={name}>
            <i style={{ background: `var(${color})` }} /> {name}
          </span>
        ))}
      </p>
      <div ref={place} aria-hidden="true" />
      <div className="visually-hidden">
        <Table caption={label}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, at) => (
              <tr key={day}>
                <td>{day}</td>
                {series.map(({ name, values }) => (
                  <td key={name}>{cellOf(values[at], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </figure>
  );
}

const cellOf = (value: number | null | undefined, format: ChartProps["format"]): string =>
  value === null || value === undefined ? "–" : format(value);

/** Noon here: the day stays itself, whatever the clock does to it. */
const noonOf = (day: string): number => Date.parse(`${day}T12:00:00`) / 1000;

const dataOf = (days: readonly string[], series: readonly Series[]): UPlot.AlignedData => [
  days.map(noonOf),
  ...series.map(({ values }) => [...values]),
];

const bars = UPlot.paths.bars?.({ size: [0.7, MOST_BAR], radius: 0.15 });
const BARS = { width: 0, ...(bars === undefined ? {} : { paths: bars }) };
const LINE = { width: 2, spanGaps: true };

const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

function optionsOf(
  place: HTMLElement,
  series: readonly Series[],
  format: ChartProps["format"],
): UPlot.Options {
  const color = (name: string): string => colorIn(place, name);
  const axis = {
    stroke: color("--text-faint"),
    font: `11px ${getComputedStyle(place).fontFamily}`,
    ticks: { show: false },
  };
  const grid = { stroke: color("--line"), width: 1 };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Half a day on both sides: the first and the last bar are as wide as the others.
      x: { range: (_plot, first, last) => [first - DAY_S / 2, last + DAY_S / 2] },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        values: (_plot, ticks) => ticks.map((tick) => date.format(tick * 1000)),
      },
      { ...axis, grid, size: 56, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...series.map(({ name, color: own, form }) => ({
        label: name,
        stroke: color(own),
        points: { show: false },
        ...(form === "line" ? LINE : { ...BARS, fill: color(own) }),
      })),
    ],
  };
}

/** The colour that a name of the design stands for now: a canvas knows no names. */
function colorIn(place: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
