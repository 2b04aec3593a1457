/** A row as it is stored: `body` is its event as JSON. `mid`: it stands inside a reply that still streamed. */
export interface StoredRow {
  readonly n: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly mid: boolean;
}
