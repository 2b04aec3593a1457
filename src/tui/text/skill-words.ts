/** A skill that a prompt brings along is long, and its reader knows it: it is shown by its name. */
export const withoutSkills = (text: string): string =>
  text.replaceAll(/\n*<skill name="([^"\n]*)">\n[\s\S]*?\n<\/skill>/g, " (skill $1)");
