import { z } from "zod";
import { CHAT_NAMES } from "../../chat/names.ts";
import { RouteWire, WebhookWire } from "../../automation/webhook/index.ts";
import { PLATFORMS, REFUSED_PLATFORMS } from "../../providers/delivery/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ConfigSource, invalidSetting, platformBlock } from "./block.ts";
import { ChatExtraWire } from "./chat.ts";
import { API_SERVER_BLOCK } from "./config-schema.ts";
import { DeliveryWire } from "./delivery.ts";
import { type UnknownKey, unknownKeys } from "./unknown-keys.ts";

const SENT_TO = [...PLATFORMS, ...REFUSED_PLATFORMS].flatMap(({ kind, name }) => [kind, name]);
const CHATS = Object.entries(CHAT_NAMES).flat();
const ChatWire = DeliveryWire.extend({ extra: ChatExtraWire });

const PLATFORMS_BLOCK = z.looseObject({
  api_server: API_SERVER_BLOCK,
  webhook: z.looseObject({ enabled: z.unknown(), extra: WebhookWire }),
  ...Object.fromEntries(["email", "sms", ...SENT_TO].map((name) => [name, DeliveryWire])),
  ...Object.fromEntries(CHATS.map((name) => [name, ChatWire])),
});

/** Finds the keys under `platforms` that nothing reads. */
export function unreadPlatformKeys(source: ConfigSource): readonly UnknownKey[] {
  const platforms = source.config["platforms"];
  if (!isJsonObject(platforms)) return [];
  const extra = platformBlock(source, "webhook")["extra"];
  const routes = isJsonObject(extra) && isJsonObject(extra["routes"]) ? Object.entries(extra["routes"]) : [];
  return [
    ...under("platforms", unknownKeys(platforms, PLATFORMS_BLOCK)),
    ...routes.flatMap(([name, route]) =>
      isJsonObject(route)
        ? under(`platforms.webhook.extra.routes.${name}`, unknownKeys(route, RouteWire))
        : [],
    ),
  ];
}

/**
 * Refuses a mistyped key under `platforms`: what it says would have no effect, and nobody would notice.
 *
 * @throws HostError `config_invalid`, with what was meant
 */
export function checkPlatformKeys(source: ConfigSource): void {
  for (const { path, suggestion } of unreadPlatformKeys(source)) {
    if (suggestion === undefined) continue;
    throw invalidSetting(path, `in ${source.paths.config} is no setting. Did you mean ${suggestion}?`);
  }
}

const under = (place: string, keys: readonly UnknownKey[]): readonly UnknownKey[] =>
  keys.map(({ path, suggestion }) => ({
    path: `${place}.${path}`,
    ...(suggestion === undefined ? {} : { suggestion: `${place}.${suggestion}` }),
  }));
