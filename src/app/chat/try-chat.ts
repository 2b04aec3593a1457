import type { Account, ChannelPorts, ChatPlatform } from "../../chat/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { within } from "../../shared/async/deadline.ts";
import { environmentProxies } from "../../shared/net/proxies.ts";
import { chatFetch } from "./chat-fetch.ts";
import { openChatSocket } from "./chat-socket.ts";
import { openChatStream } from "./chat-stream.ts";

const TRY_MS = 10_000;
/** Nothing is received, so that nothing has to be remembered. */
const NO_NOTES: ChannelPorts["notes"] = {
  all: () => Promise.resolve(new Map()),
  put: () => Promise.resolve(),
};

/**
 * Connects to a platform once, without receiving anything, and gives the bot's name there.
 *
 * @throws HostError `unauthorized`, `fetch_failed`, `timeout`, `config_invalid`
 */
export async function tryChat(
  platform: ChatPlatform,
  account: Account,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const clock = systemClock;
  const fetch = chatFetch(account.baseUrl, { clock, proxies: environmentProxies(env) });
  const ports = {
    fetch,
    socket: openChatSocket,
    connect: openChatStream,
    clock,
    random: Math.random,
    notes: NO_NOTES,
    report: () => undefined,
  };
  const channel = await platform.open(account, ports);
  return await within({ clock, ms: TRY_MS }, async (signal) => (await channel.connect([], signal)).name);
}
