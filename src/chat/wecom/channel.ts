import type { Channel } from "../port/channel.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { appChannel } from "./app.ts";
import { botChannel } from "./bot.ts";

/** Makes the channel of an AI bot, or of a self-built app where WeCom is to post. @throws HostError `config_invalid` */
export const wecomChannel = (account: Account, ports: ChannelPorts): Channel =>
  account.mode === "webhook" ? appChannel(account, ports) : botChannel(account, ports);
