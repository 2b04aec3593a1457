/** The bot as the platform knows it. */
export interface SlackBot {
  readonly id: string;
  readonly name: string;
}

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Whether a text names somebody: `<@U1>`, `<@U1|ann>`. */
export const mentions = (text: string, userId: string): boolean =>
  text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);

/**
 * A text as people read it, without the bot's own mention where it begins with it:
 * https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages
 */
export function readableText(text: string, bot: SlackBot): string {
  const head = /^\s*<@(\w+)(?:\|[^<>]*)?>[,:]?/.exec(text);
  return (head?.[1] === bot.id ? text.slice(head[0].length) : text)
    .replaceAll(/<([^<>]+)>/g, (_tag, inside: string) => tagText(inside, bot))
    .replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim();
}

function tagText(inside: string, bot: SlackBot): string {
  const bar = inside.indexOf("|");
  const target = bar === -1 ? inside : inside.slice(0, bar);
  const label = bar === -1 ? "" : inside.slice(bar + 1);
  switch (target[0]) {
    case "@":
      return `@${label || (target.slice(1) === bot.id ? bot.name : target.slice(1))}`;
    case "#":
      return `#${label || target.slice(1)}`;
    case "!":
      return label || `@${target.slice(1)}`;
    default:
      return label === "" || target === label || target.endsWith(`:${label}`)
        ? label || target
        : `${label} (${target})`;
  }
}
