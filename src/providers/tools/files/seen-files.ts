import type { FileMark } from "../workspace/replace-entry.ts";

const MOST_FILES = 10_000;

/** The last known state of files, for each session. It keeps a session from overwriting what somebody else wrote. */
export class SeenFiles {
  readonly #marks = new Map<string, FileMark | null>();

  /** @param mark - `null`: there was no such file */
  note(session: string, path: string, mark: FileMark | null): void {
    const key = `${session}\0${path}`;
    this.#marks.delete(key);
    this.#marks.set(key, mark);
    if (this.#marks.size <= MOST_FILES) return;
    // A map is in the order of its entries' coming.
    const [oldest = key] = this.#marks.keys();
    this.#marks.delete(oldest);
  }

  /** Whether a file is not what the session saw. One that it never saw is not. */
  isStale(session: string, path: string, mark: FileMark | null): boolean {
    const seen = this.#marks.get(`${session}\0${path}`);
    return seen !== undefined && seen !== mark;
  }
}
