import { type Account, CHAT_PLATFORMS, type ChatPlatform, type PlatformSecret } from "../../chat/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { platformBlock } from "../config/block.ts";
import type { ConfigChanges } from "../config/config-file.ts";
import { setEnvValue } from "../config/env-file.ts";
import { makeHome } from "../config/home.ts";
import type { AppSettings } from "../config/settings.ts";
import { SUBMISSION_PORT, SUBMISSION_TLS_PORT } from "./chat-account.ts";

/** The answers of a person who sets a chat platform up. An absent one is as it is configured. */
export interface PlatformAnswers {
  /** New secrets, by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly baseUrl?: string | undefined;
  readonly from?: string | undefined;
}

/** The chat platform of a name, its own or the interface's; `undefined` when there is none. */
export const findPlatform = (name: string): ChatPlatform | undefined =>
  CHAT_PLATFORMS.find((each) => each.name === name || each.kind === name);

/** The secrets that setting a platform up asks for. */
export const askedSecrets = ({ secrets, mode }: ChatPlatform): readonly PlatformSecret[] =>
  secrets.filter(({ webhookOnly }) => webhookOnly !== true || mode === "webhook");

/** The secrets of a platform that the environment has, by their names. */
export const knownSecrets = (
  { secrets }: ChatPlatform,
  { env }: AppSettings,
): Readonly<Record<string, string>> =>
  defined(
    Object.fromEntries(secrets.map(({ name, variable }) => [name, env[variable]?.trim() || undefined])),
  );

/** The sender's number or id on a platform: as answered, else as it is configured. */
export const senderOn = (
  platform: ChatPlatform,
  { from }: Pick<PlatformAnswers, "from">,
  settings: AppSettings,
): string | undefined => from ?? saidOf(settings, platform, "from");

/** The address of a platform: as it is configured, else the usual one; `undefined` when its owner must say it. */
export function addressOn(platform: ChatPlatform, settings: AppSettings): string | undefined {
  const host = saidOf(settings, platform, "host");
  if (platform.server === undefined || host === undefined)
    return saidOf(settings, platform, "base_url") ?? platform.baseUrl;
  const port = saidOf(settings, platform, "port") ?? String(SUBMISSION_PORT);
  const secure = saidOf(settings, platform, "secure") ?? String(Number(port) === SUBMISSION_TLS_PORT);
  return `${secure === "true" ? "smtps" : "smtp"}://${host}:${port}`;
}

/** Whether all is there that setting a platform up asks for. */
export function isSetUp(platform: ChatPlatform, settings: AppSettings): boolean {
  const known = knownSecrets(platform, settings);
  return (
    askedSecrets(platform).every(({ name }) => known[name] !== undefined) &&
    addressOn(platform, settings) !== undefined &&
    (platform.from === undefined || senderOn(platform, { from: undefined }, settings) !== undefined)
  );
}

/** The account that answers and settings give, to be tried. @param baseUrl - where the platform is */
export function answeredAccount(
  platform: ChatPlatform,
  { baseUrl, ...answers }: PlatformAnswers & { readonly baseUrl: string },
  settings: AppSettings,
): Account {
  const from = senderOn(platform, answers, settings);
  const user = platform.server === undefined ? undefined : userOf(settings, platform, from);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    secrets: { ...knownSecrets(platform, settings), ...answers.secrets },
    mode: platform.mode,
    extra: {},
    ...defined({ from, user }),
  };
}

/**
 * Saves the secrets of a platform in `.env`, and gives the changes of `config.yaml` that switch it on.
 *
 * @throws HostError `config_invalid` for a secret that `.env` cannot hold
 */
export async function saveSecrets(
  platform: ChatPlatform,
  { account, answers }: { readonly account: Account; readonly answers: PlatformAnswers },
  { paths }: AppSettings,
): Promise<ConfigChanges> {
  makeHome(paths);
  for (const { name, variable } of platform.secrets) {
    const { [name]: value } = answers.secrets;
    if (value !== undefined) await setEnvValue(paths.env, variable, value);
  }
  const block = defined({ enabled: true, ...addressKeys(platform, account, answers), from: answers.from });
  return Object.entries(block).map(([key, value]) => [["platforms", platform.name, key], value] as const);
}

/** What the configuration says already. */
function saidOf(
  settings: AppSettings,
  { name, kind }: ChatPlatform,
  wanted: "from" | "user" | "base_url" | "host" | "port" | "secure",
): string | undefined {
  const found = [name, kind].map((each) => platformBlock(settings, each)[wanted]);
  return found
    .filter((value) => typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    .map(String)[0];
}

/** Most mail servers know people by their addresses. */
const userOf = (settings: AppSettings, platform: ChatPlatform, from = ""): string =>
  saidOf(settings, platform, "user") ?? /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/** The keys of the block that say where the platform is. */
function addressKeys(
  { server }: ChatPlatform,
  { baseUrl, user }: Account,
  answers: PlatformAnswers,
): Readonly<Record<string, unknown>> {
  if (server === undefined) return { base_url: answers.baseUrl };
  const { protocol, hostname, port } = new URL(baseUrl);
  const secure = protocol === "smtps:";
  return {
    host: hostname,
    port: Number(port) || (secure ? SUBMISSION_TLS_PORT : SUBMISSION_PORT),
    secure,
    user,
  };
}
