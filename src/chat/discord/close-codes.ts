import { HostError } from "../../shared/errors/host-error.ts";

/** Close codes after which connecting again is of no use, and what to do. */
const FATAL: Readonly<Record<number, string>> = {
  4004: "Discord does not accept the bot's token. At discord.com/developers/applications choose Bot, Reset Token, and put the new one into DISCORD_TOKEN",
  4010: "Discord refused the shard. Report this as a defect",
  4011: "the bot is in more servers than one connection may serve. Remove it from some of them",
  4012: "Discord does not speak version 10 of its gateway any more. Install a newer version of the agent",
  4013: "Discord does not know the intents that were asked for. Install a newer version of the agent",
  4014: "the bot may not read messages. At discord.com/developers/applications choose Bot, Privileged Gateway Intents, and switch Message Content Intent on",
};
/** Close codes after which a session cannot be resumed. */
const ENDED: ReadonlySet<number> = new Set([4003, 4007, 4009]);

/** The meaning of the loss of a connection: https://docs.discord.com/developers/topics/opcodes-and-status-codes */
export function lossOf(error: HostError): { readonly error: HostError; readonly endsSession: boolean } {
  const { closeCode = 0 } = error.details;
  const fatal = FATAL[closeCode];
  if (fatal === undefined) return { error, endsSession: ENDED.has(closeCode) };
  const message = `discord: ${fatal}; then start the gateway again (close code ${closeCode}).`;
  return {
    error: new HostError("config_invalid", message, { cause: error, details: { closeCode } }),
    endsSession: true,
  };
}
