/** The process that drives a session or works on a record. `alive` is judged by who reads it. */
export interface Owner {
  readonly hostId: string;
  readonly pid: number;
  readonly alive: boolean;
}
