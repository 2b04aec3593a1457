import { CHAT_NAMES, type ChatName } from "../../chat/names.ts";
import { type Account, CHAT_PLATFORMS, type ChatPlatform, type PlatformSecret } from "../../chat/index.ts";
import { PLATFORMS } from "../../providers/delivery/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { type ConfigSource, invalidSetting } from "../config/block.ts";
import { type ChatExtra, chatExtra } from "../config/chat.ts";
import { deliveryBlock, needed, type DeliveryBlock } from "../config/delivery.ts";

/** A chat platform that is switched on, as it is configured. */
export interface ConfiguredChat {
  readonly platform: ChatPlatform;
  readonly block: DeliveryBlock;
  readonly extra: ChatExtra;
  /** What it is connected with, or why it stays off. */
  readonly account: Account | { readonly missing: string };
  /** Why texts only go out, although people are meant to write to the agent there: a secret by which they come is missing. */
  readonly oneWay?: string;
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
    if (block === undefined || !isChatName(name) || isRobotOnly(source, platform, block)) return [];
    const extra = chatExtra(source, name);
    const parts = { source, block, extra, mode: extra.mode ?? platform.mode };
    const oneWay =
      missingIn(platform.secrets.filter(isToReceive), parts) ??
      (extra.receive === false ? undefined : platform.missingToReceive?.(extra));
    return [{ platform, block, extra, account: accountOf(platform, parts), ...defined({ oneWay }) }];
  });
}

/** Why nobody can write on a platform that is switched on; `undefined` when people can. */
export const reasonOff = (chat: ConfiguredChat | undefined): string | undefined =>
  chat && ("missing" in chat.account ? chat.account.missing : chat.oneWay);

/** On some platforms a robot of one group sends texts with its token alone: without the secrets of an app there is no chat. */
function isRobotOnly(source: ConfigSource, { name, secrets }: ChatPlatform, block: DeliveryBlock): boolean {
  const [first] = secrets;
  const isApp = first !== undefined && secretOf(first, { source, block }) !== undefined;
  return !isApp && robotToken(source, name, block) !== undefined;
}

/** The token of a platform's robot that only sends; `undefined` where there are no such robots. */
export const robotToken = (
  { env }: ConfigSource,
  name: string,
  { token }: DeliveryBlock,
): string | undefined =>
  PLATFORMS.some((each) => each.name === name)
    ? env[`${name.toUpperCase()}_TOKEN`]?.trim() || token
    : undefined;

const isChatName = (name: string): name is ChatName => Object.hasOwn(CHAT_NAMES, name);

interface AccountParts {
  readonly source: ConfigSource;
  readonly block: DeliveryBlock;
  readonly extra: ChatExtra;
  readonly mode: Account["mode"];
}

function accountOf(platform: ChatPlatform, parts: AccountParts): ConfiguredChat["account"] {
  const { source, block, extra, mode } = parts;
  const { secrets } = platform;
  const missing = missingIn(
    secrets.filter((secret) => !isToReceive(secret)),
    parts,
  );
  if (missing !== undefined) return { missing };
  if (platform.from !== undefined && block.from === undefined)
    throw invalidSetting(`platforms.${block.name}.from`, `is missing: it is ${platform.from}`);
  const found = secrets.flatMap((secret) => {
    const value = secretOf(secret, { source, block });
    return value === undefined ? [] : [[secret.name, value] as const];
  });
  const { from, user } = block;
  const baseUrl = addressOf(platform, block).replace(/\/+$/, "");
  return { baseUrl, secrets: Object.fromEntries(found), mode, extra, ...defined({ from, user }) };
}

/** The usual ports of mail servers, without and with TLS from the beginning. */
export const SUBMISSION_PORT = 587;
export const SUBMISSION_TLS_PORT = 465;

/** @throws HostError `config_invalid` when the owner must say it, and does not */
function addressOf({ server, baseUrl }: ChatPlatform, block: DeliveryBlock): string {
  if (server !== "smtp") return block.base_url ?? baseUrl ?? needed(block, "base_url");
  const { port = SUBMISSION_PORT, secure = port === SUBMISSION_TLS_PORT } = block;
  const host = needed(block, "host");
  return `${secure ? "smtps" : "smtp"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What the first of these secrets is that is needed and not there. */
function missingIn(
  secrets: readonly PlatformSecret[],
  { source, block, extra, mode }: AccountParts,
): string | undefined {
  const missing = secrets.find(
    (secret) => isNeeded(secret, { mode, extra, block }) && secretOf(secret, { source, block }) === undefined,
  );
  if (missing === undefined) return undefined;
  const { variable, about } = missing;
  return `${variable} is not set: it is ${about}. Put it into the .env file of the agent's home.`;
}

const secretOf = (
  { name, variable }: PlatformSecret,
  { source, block }: Pick<AccountParts, "source" | "block">,
): string | undefined =>
  source.env[variable]?.trim() || (name === "token" ? block.token : undefined) || undefined;

/** A secret without which texts go out all the same. */
const isToReceive = ({ webhookOnly = false, connectionOnly = false }: PlatformSecret): boolean =>
  webhookOnly || connectionOnly;

/** Texts that only go out need no secret by which others come in. */
function isNeeded(
  { webhookOnly = false, connectionOnly = false, withUser = false }: PlatformSecret,
  { mode, extra: { receive = true }, block }: Pick<AccountParts, "mode" | "extra" | "block">,
): boolean {
  if (withUser && block.user === undefined) return false;
  if (webhookOnly) return receive && mode === "webhook";
  return connectionOnly ? receive && mode === "connection" : true;
}
