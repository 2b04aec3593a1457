const real = Date;
let turned = 0;

/** Turns the wall clock of this process, as somebody does with that of a machine; in milliseconds, from where it stands right. */
export function turnWallClock(by: number): void {
  turned = by;
}

/** A time of day that may be wrong. */
class TurnedDate extends real {
  constructor(...args: readonly unknown[]) {
    // Whatever `Date` takes.
    super(...((args.length === 0 ? [TurnedDate.now()] : args) as [number]));
  }

  static override now(): number {
    return real.now() + turned;
  }
}

globalThis.Date = TurnedDate as DateConstructor;
