const SILENT = "[SILENT]";

/** A model says that there is nothing worth telling: the marker is the first or the last line. */
export function isSilent(text: string): boolean {
  const lines = text.trim().split("\n");
  return [lines[0], lines.at(-1)].some((line) => line?.trim().startsWith(SILENT) === true);
}
