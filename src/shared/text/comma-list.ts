/** The words of a comma list; empty ones are left out. */
export const commaList = (list: string): readonly string[] =>
  list.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
