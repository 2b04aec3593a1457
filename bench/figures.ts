/** The middle of a list of figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The figure below which a share of all lies. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Takes the time of some work, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** A figure of the report. */
export interface Figure {
  readonly unit: string;
  /** What a bare Node program needs for the same, in the same unit and the same run. */
  readonly floor?: number;
  /** Where the figure is to be: at most so many times the floor, or so much. */
  readonly goal?: Goal;
}

/** A goal, as times of the floor or as a figure. */
export type Goal = { readonly ratio: number } | { readonly value: number };

/** A figure with its name, as a bench tells it to the process that runs all of them. */
export interface NamedFigure extends Figure {
  readonly name: string;
  readonly value: number;
}

/** One line of the report: a figure, its floor where there is one, how many times that it is, and its goal. */
export function report(name: string, value: number, figure: Figure): void {
  const named: NamedFigure = { name, value, ...figure };
  console.log(lineOf(named));
  process.send?.(named);
}

/** Times of the floor; `undefined` without one. */
export function ratioOf({ value, floor }: NamedFigure): number | undefined {
  return floor === undefined ? undefined : value / floor;
}

/** Writes a figure for people. */
export function lineOf(figure: NamedFigure): string {
  const { name, value, unit, floor, goal } = figure;
  const beside = floor === undefined ? "" : `   floor ${shown(floor)} ${unit}`.padEnd(26);
  const ratio = floor === undefined ? "" : `ratio ${(value / floor).toFixed(2)}`.padEnd(14);
  return `${name.padEnd(52)} ${shown(value).padStart(10)} ${unit}${beside}${ratio}${goal === undefined ? "" : goalWords(figure, goal)}`.trimEnd();
}

const shown = (figure: number): string => figure.toFixed(Math.abs(figure) >= 100 ? 0 : 2);

function goalWords(figure: NamedFigure, goal: Goal): string {
  const [is, most] =
    "ratio" in goal ? [ratioOf(figure) ?? Number.NaN, goal.ratio] : [figure.value, goal.value];
  const words = "ratio" in goal ? `goal ratio ${most}` : `goal ${most} ${figure.unit}`;
  return `   ${words}${is <= most ? "" : "   behind"}`;
}
