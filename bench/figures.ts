/** The middle of a list of figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface Figure {
  readonly unit: string;
  /** What a bare Node program needs for the same, in the same unit. */
  readonly floor?: number;
}

/** One line of the report: a figure, its floor where there is one, and how many times that it is. */
export function report(name: string, value: number, { unit, floor }: Figure): void {
  const shown = (figure: number): string => figure.toFixed(figure >= 100 ? 0 : 2);
  const beside =
    floor === undefined ? "" : `   floor ${shown(floor)} ${unit}   ratio ${(value / floor).toFixed(2)}`;
  console.log(`${name.padEnd(44)} ${shown(value).padStart(10)} ${unit}${beside}`);
}
