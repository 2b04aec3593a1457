/** The reason why the content of a file was not kept. */
export type Omission = "large" | "unreadable" | "cap" | "late";

/** The state of a path at one moment, as far as it is needed to put it back. */
export type FileState =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly mode: number;
      readonly size: number;
      /** SHA-256 in hex; `null` when the content was not kept. */
      readonly hash: string | null;
      readonly why?: Omission;
      /** Tells versions of a file apart whose content is not known. */
      readonly stamp?: string;
    }
  /** The target as bytes, one character each. */
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number }
  /** A device, a pipe or a socket: never kept, never touched. */
  | { readonly kind: "special" };

export const ABSENT: FileState = { kind: "absent" };

/** Whether two moments showed the same at a path. A file whose content is unknown equals only itself, untouched. */
export function isSameState(a: FileState, b: FileState): boolean {
  if (a.kind === "file" && b.kind === "file") {
    if (a.hash === null || b.hash === null) return a.stamp !== undefined && a.stamp === b.stamp;
    return a.hash === b.hash && a.mode === b.mode;
  }
  if (a.kind === "symlink" && b.kind === "symlink") return a.target === b.target;
  if (a.kind === "directory" && b.kind === "directory") return a.mode === b.mode;
  return a.kind === b.kind;
}

/** Whether a state can be put back. */
export const isKept = (state: FileState): boolean =>
  state.kind === "file" ? state.hash !== null : state.kind !== "special";

export const encodeState = (state: FileState): string => JSON.stringify(state);

// Only `encodeState` writes these columns.
export const decodeState = (text: string): FileState => JSON.parse(text) as FileState;

export const hashOf = (state: FileState): string | null => (state.kind === "file" ? state.hash : null);

/**
 * A path below a root as the system has it: bytes, one character each, names joined by slashes. The root is the empty
 * path. Names that are no UTF-8 are kept as they are.
 */
export type BytePath = string;

// oxlint-disable-next-line no-control-regex -- all that is not ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;

/** A path for the system: text is cheaper than bytes, and means the same as long as it is ASCII. */
export const systemPath = (path: BytePath): string | Buffer =>
  NOT_ASCII.test(path) ? Buffer.from(path, "latin1") : path;

export const bytePath = (path: string): BytePath =>
  NOT_ASCII.test(path) ? Buffer.from(path, "utf8").toString("latin1") : path;

/** A path for people; bytes that are no UTF-8 become replacement characters. */
export const readablePath = (path: BytePath): string =>
  NOT_ASCII.test(path) ? Buffer.from(path, "latin1").toString("utf8") : path;

export const joinPath = (folder: BytePath, name: string): BytePath =>
  folder === "" ? name : `${folder}/${name}`;

export const parentOf = (path: BytePath): BytePath => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const nameOf = (path: BytePath): string => path.slice(path.lastIndexOf("/") + 1);
