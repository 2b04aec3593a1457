import { CHAT_NAMES, type ChatName } from "../../chat/names.ts";
import { type Account, CHAT_PLATFORMS, type ChatPlatform } from "../../chat/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ConfigSource } from "../config/block.ts";
import { type ChatExtra, chatExtra } from "../config/chat.ts";
import { deliveryBlock, needed, type DeliveryBlock } from "../config/delivery.ts";

/** A chat platform that is switched on, as it is configured. */
export interface ConfiguredChat {
  readonly platform: ChatPlatform;
  readonly block: DeliveryBlock;
  readonly extra: ChatExtra;
  /** What it is connected with, or why it stays off. */
  readonly account: Account | { readonly missing: string };
}

/**
 * The chat platforms that are switched on.
 *
 * @throws HostError `config_invalid` for a setting that is wrong; a secret that is missing is none
 */
export function configuredChats(source: ConfigSource): readonly ConfiguredChat[] {
  return CHAT_PLATFORMS.flatMap((platform) => {
    const { kind, name } = platform;
    const block = deliveryBlock(source, [name, kind]);
    if (block === undefined || !isChatName(name)) return [];
    const extra = chatExtra(source, name);
    return [{ platform, block, extra, account: accountOf(platform, { source, block, extra }) }];
  });
}

const isChatName = (name: string): name is ChatName => Object.hasOwn(CHAT_NAMES, name);

function accountOf(
  { secrets, baseUrl: usual, mode: usualMode }: ChatPlatform,
  {
    source,
    block,
    extra,
  }: { readonly source: ConfigSource; readonly block: DeliveryBlock; readonly extra: ChatExtra },
): ConfiguredChat["account"] {
  const mode = extra.mode ?? usualMode;
  const found: Record<string, string> = {};
  for (const secret of secrets) {
    const { name, variable, about } = secret;
    const value = source.env[variable]?.trim() || (name === "token" ? block.token : undefined);
    if (value !== undefined && value !== "") found[name] = value;
    else if (isNeeded(secret, mode, extra))
      return {
        missing: `${variable} is not set: it is ${about}. Put it into the .env file of the agent's home.`,
      };
  }
  const baseUrl = (block.base_url ?? usual ?? needed(block, "base_url")).replace(/\/+$/, "");
  return { baseUrl, secrets: found, mode, extra, ...defined({ from: block.from }) };
}

/** Texts that only go out need no secret by which others come in. */
function isNeeded(
  { webhookOnly = false, connectionOnly = false }: ChatPlatform["secrets"][number],
  mode: Account["mode"],
  { receive = true }: ChatExtra,
): boolean {
  if (webhookOnly) return receive && mode === "webhook";
  return connectionOnly ? receive && mode === "connection" : true;
}
