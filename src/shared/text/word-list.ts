/** The words of a text that lists them. */
export const wordList = (text: string): readonly string[] => text.trim().split(/\s+/);
