/** Files that are named in a sentence; the rest is counted. */
const MOST_NAMED = 5;

/** The first of some files for a sentence, by their paths from a folder on where they are in it. */
export function namedFiles(paths: readonly string[], folder: string): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => pathFrom(path, folder));
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : "";
  return `${names.join(", ")}${more}`;
}

const pathFrom = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
