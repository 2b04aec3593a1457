/** A slash and a word; a path is none. */
export const isCommand = (text: string): boolean => /^\/[a-z][\w-]*(\s|$)/i.test(text);
