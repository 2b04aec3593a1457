import type { ChannelCommand } from "../port/channel.ts";

const NAME = /^[a-z0-9_-]{1,32}$/;
const MOST = 100;
const LONGEST_DESCRIPTION = 100;

/** The commands as the platform lists them, each with one field for all that follows its name: https://docs.discord.com/developers/interactions/application-commands */
export const menuOf = (commands: readonly ChannelCommand[]): readonly unknown[] =>
  commands
    .filter(({ name }) => NAME.test(name))
    .slice(0, MOST)
    .map(({ name, description }) => ({
      name,
      type: 1,
      description: description.slice(0, LONGEST_DESCRIPTION) || name,
      options: [{ type: 3, name: "text", description: "what follows the command" }],
    }));
