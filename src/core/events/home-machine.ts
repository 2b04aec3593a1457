/** A machine to which a session belongs, because its files are on that machine's disk. */
export interface HomeMachine {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The files are on this other machine, by its name, and cannot be reached: the session goes on without them. */
  readonly without?: string;
  /** Nobody chose the folder there: the session belongs to no machine, and each goes on with it in a folder of its own. */
  readonly anywhere?: true;
}
