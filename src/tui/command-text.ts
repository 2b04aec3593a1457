/** A slash and a word; a path is none. */
export const isCommand = (text: string): boolean => /^\/[a-z][\w-]*(\s|$)/i.test(text);

/** The command of the shell that a text is: `!command`, or `!!command` whose output the model does not get. */
export function shellCommand(text: string): { readonly command: string; readonly keep: boolean } | undefined {
  const [, marks = "", command = ""] = /^(!{1,2})\s*([\s\S]*)$/.exec(text) ?? [];
  return command === "" ? undefined : { command, keep: marks === "!" };
}

/** A word that answers a question rather than says something to the agent; other programs take these as answers. */
export const isAnswerWord = (text: string): boolean =>
  /^(?:y|yes|n|no|a|p|ok|okay|always|allow|deny|[1-9])[.!]?$/i.test(text.trim());
