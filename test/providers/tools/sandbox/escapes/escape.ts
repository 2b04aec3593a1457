/** One way out of a sandbox that was written about. It is run as a shell script, inside, and judged from outside. */
export interface Escape {
  readonly name: string;
  readonly script: string;
  /**
   * How it is judged. `write`: `$OUT/$N` is there. `read`: the output holds a secret. `reach`: a listener heard `$N`.
   * `call`: the output says `through`. `harm`: the stage's own look finds what it did.
   */
  readonly by: "write" | "read" | "reach" | "call" | "harm";
  /** Why the same script is not run outside, to be seen to work there; without a reason it is. */
  readonly uncontrolled?: string;
}

/** Rows of a table: a name, a script. */
export type Rows = readonly (readonly [name: string, script: string])[];

export const escapes = (by: Escape["by"], rows: Rows, uncontrolled?: string): readonly Escape[] =>
  rows.map(([name, script]) => ({
    name,
    script,
    by,
    ...(uncontrolled === undefined ? {} : { uncontrolled }),
  }));

const NEEDS_WALLS = "it is a way through walls, and there are none outside";

/** Rows that only mean something inside. */
export const fromInside = (by: Escape["by"], rows: Rows): readonly Escape[] => escapes(by, rows, NEEDS_WALLS);
