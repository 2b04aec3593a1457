/** The options of an engine. */
export interface EngineOptions {
  readonly home: string;
  /** Absolute real paths that are part of no workspace. */
  readonly apart: readonly string[];
  /** The person's home: of a workspace that holds it, only named files are kept. */
  readonly personHome: string;
  /** Bytes a session. */
  readonly maxBytes: number;
  /** Folders can be reached by their handles (Linux). */
  readonly byHandle: boolean;
  /** The mark of this process, for other ones. */
  readonly owner: string;
  readonly now: () => number;
}
