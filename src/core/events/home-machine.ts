/** A machine to which a session belongs, because its files are on that machine's disk. */
export interface HomeMachine {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The files are on this other machine, by its name, and cannot be reached: the session goes on without them. */
  readonly without?: string;
}
