/** A path that a command is given. */
export interface PathUse {
  readonly path: string;
  /** The shell puts the names that fit in its place. */
  readonly glob: boolean;
  readonly writes: boolean;
  /** In a directory, the command would follow links. */
  readonly file?: boolean;
}

/** A command that does no harm as long as its paths are where they should be. */
export interface Harmless {
  /** It makes things, but nothing that could not be undone. */
  readonly creates: boolean;
  readonly paths: readonly PathUse[];
  /** The directory that later commands run in. */
  readonly enters?: string;
  /** What the repository is set up to do decides, too. */
  readonly usesGit?: boolean;
}
