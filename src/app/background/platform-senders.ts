import { defined } from "../../shared/json/defined.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { type Proxies, environmentProxies } from "../../shared/net/proxies.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { ONE_PLACE, type Sender, type TargetKind } from "../../automation/delivery/index.ts";
import {
  codeHostCommentSender,
  platformSender,
  PLATFORMS,
  REFUSED_PLATFORMS,
  type RunTool,
  type PlatformTransport,
  smsSender,
} from "../../providers/delivery/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import { configuredChats, robotToken } from "../chat/chat-account.ts";
import { invalidSetting } from "../config/block.ts";
import { deliveryBlock, needed, secretOf } from "../config/delivery.ts";
import type { AppSettings } from "../config/settings.ts";

/** Senders by kind, the places of each kind, and the kinds that have a home. */
interface Senders {
  readonly senders: Map<string, Sender>;
  readonly kinds: Map<string, TargetKind>;
  readonly homes: string[];
}

/**
 * The senders of whatever is enabled under `platforms`, each under the interface's name and its own.
 *
 * @throws HostError `config_invalid` for one that is enabled and cannot work
 */
export function platformSenders(
  settings: AppSettings,
  { clock, codeHost }: { readonly clock: Clock; readonly codeHost: RunTool },
): Senders {
  const found: Senders = { senders: new Map(), kinds: new Map(), homes: [] };
  const proxies = environmentProxies(settings.env);
  for (const { kind, name, why } of REFUSED_PLATFORMS) {
    const block = deliveryBlock(settings, [kind, name]);
    if (block === undefined) continue;
    throw new HostError("config_invalid", `platforms.${block.name} cannot be enabled: ${why}.`);
  }
  const withApp = new Set(configuredChats(settings).map(({ platform: { name } }) => name));
  for (const platform of PLATFORMS) {
    const { kind, name } = platform;
    const block = deliveryBlock(settings, [kind, name]);
    if (block === undefined) continue;
    // A chat platform alone: its secrets are those of an app.
    if (withApp.has(name) && robotToken(settings, name, block) === undefined) continue;
    const token = platform.open === true ? "" : secretOf(settings, block, `${name.toUpperCase()}_TOKEN`);
    const baseUrl = withoutSlash(block.base_url ?? platform.baseUrl ?? needed(block, "base_url"));
    const from = platform.needsFrom === true ? needed(block, "from") : undefined;
    const accessUrl = block.base_url === undefined ? platform.access?.baseUrl : baseUrl;
    const account = defined({ baseUrl, token, from, home: block.home_channel, accessUrl });
    const send = sendTo(accessUrl === undefined ? [baseUrl] : [baseUrl, accessUrl], { clock, proxies });
    const sender = platformSender(platform, { account, send, clock });
    if (platform.oneChat === true && block.home_channel !== undefined && !withApp.has(name))
      throw invalidSetting(
        `platforms.${block.name}.home_channel`,
        "would be ignored: its bots belong to one chat. Remove it",
      );
    const home = platform.oneChat === true ? "the bot's chat" : block.home_channel;
    const place: TargetKind =
      platform.oneChat === true ? ONE_PLACE : { ...chats(home), threads: platform.threads === true };
    add(found, { names: [kind, name], sender, home, place });
  }
  addSms(found, settings, clock);
  add(found, {
    names: ["code_host_comment"],
    sender: codeHostCommentSender(codeHost),
    home: undefined,
    place: { ...ONE_PLACE, needs: ["repo", "pr_number"] },
  });
  return found;
}

interface Added {
  readonly names: readonly [string, ...string[]];
  readonly sender: Sender;
  readonly home: string | undefined;
  readonly place: TargetKind;
}

function add({ senders, kinds, homes }: Senders, { names, sender, home, place }: Added): void {
  for (const name of names) {
    senders.set(name, sender);
    kinds.set(name, place);
  }
  if (home !== undefined) homes.push(names[0]);
}

const chats = (home: string | undefined): TargetKind => ({
  chat: home === undefined ? "named" : "home",
  threads: false,
  needs: [],
});

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

const SMS_BASE = "https://api.twilio.com";

function addSms(found: Senders, settings: AppSettings, clock: Clock): void {
  const block = deliveryBlock(settings, ["sms"]);
  if (block === undefined) return;
  const baseUrl = withoutSlash(block.base_url ?? SMS_BASE);
  const account = {
    baseUrl,
    accountSid: needed(block, "account_sid"),
    token: secretOf(settings, block, "SMS_TOKEN"),
    from: needed(block, "from"),
    ...defined({ home: block.home_channel }),
  };
  add(found, {
    names: ["sms"],
    sender: smsSender({
      account,
      send: sendTo([baseUrl], { clock, proxies: environmentProxies(settings.env) }),
    }),
    home: block.home_channel,
    place: chats(block.home_channel),
  });
}

const LARGEST_ANSWER = 256 * 1024;
const TIMEOUT_MS = 30_000;

/** Posts to the hosts that the owner configured, wherever they are, and to no other. */
function sendTo(
  baseUrls: readonly string[],
  way: { readonly clock: Clock; readonly proxies: Proxies },
): PlatformTransport {
  const allow = baseUrls.map((url) => new URL(url)).flatMap(({ host, hostname }) => [host, hostname]);
  const fetcher = guardedFetcher({ ...way, allow });
  return (request) => fetcher.fetch({ ...request, maxBytes: LARGEST_ANSWER, timeoutMs: TIMEOUT_MS });
}
