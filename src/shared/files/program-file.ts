/**
 * Where the program of a thread or a process of its own lies: in the source beside the file that starts it, in the built
 * package at its top, while that file may have gone into one of the chunks in a folder below it.
 *
 * @param here - `import.meta.url` of the file that starts it
 * @param names - `source`: relative to that file; `built`: in the package's folder
 */
export function programFile(
  here: string,
  { source, built }: { readonly source: string; readonly built: string },
): URL {
  if (here.endsWith(".ts")) return new URL(source, here);
  return new URL(/\/(?:chunks|command)\/[^/]*$/.test(here) ? `../${built}` : built, here);
}
