/** The bot as rooms know it. */
export interface MatrixBot {
  readonly id: string;
  /** Its name as people see it. */
  readonly name: string;
}

/** A text without what some clients put before an answer: the lines that it answers, and an empty one. */
export function withoutFallback(body: string): string {
  if (!body.startsWith("> ")) return body;
  const lines = body.split("\n");
  const first = lines.findIndex((line) => !line.startsWith(">"));
  return first > 0 && lines[first] === "" ? lines.slice(first + 1).join("\n") : body;
}

/** The names that call nobody else: ids, and the name people see. */
const namesOf = ({ id, name }: MatrixBot): readonly string[] =>
  [id, `@${localOf(id)}`, name].filter((each) => each.length > 1);

const localOf = (id: string): string => /^@([^:]+)/.exec(id)?.[1] ?? "";

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/**
 * The text behind the bot's name where it begins with it, `undefined` where it does not. Nothing but a sign behind it, or
 * that the sender means the bot, makes a name of a word.
 */
export function afterName(text: string, bot: MatrixBot, isMeant: boolean): string | undefined {
  const words = text.trimStart();
  const lower = words.toLowerCase();
  for (const name of [...namesOf(bot), localOf(bot.id)]) {
    const rest = words.slice(name.length);
    if (name === "" || !lower.startsWith(name.toLowerCase()) || isWord(rest[0])) continue;
    if (isMeant || name.startsWith("@") || /^[,:]/.test(rest)) return rest.replace(/^[\s,:]+/, "");
  }
  return undefined;
}

/** Whether a text names the bot anywhere. */
export function namesBot(text: string, bot: MatrixBot): boolean {
  const lower = text.toLowerCase();
  return namesOf(bot).some((name) => {
    const wanted = name.toLowerCase();
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
      if (!isWord(lower[at - 1]) && !isWord(lower[at + wanted.length])) return true;
    return false;
  });
}
