import { expect, test } from "vitest";
import { z } from "zod";
import { chatChoiceWire, chatExtraWire } from "../../../src/app/config/chat.ts";
import { apiServerBlock } from "../../../src/app/config/config-schema.ts";
import { dashboardBlock } from "../../../src/app/config/dashboard.ts";
import { DeliveryWire } from "../../../src/app/config/delivery.ts";
import {
  EACH,
  type KeyTable,
  PLATFORM_KEYS,
  unreadPlatformKeys,
} from "../../../src/app/config/platform-keys.ts";
import { RouteWire, WebhookWire } from "../../../src/automation/webhook/index.ts";
import { DingtalkExtraWire } from "../../../src/chat/dingtalk/settings.ts";
import { MailExtraWire } from "../../../src/chat/email/settings.ts";
import { CHAT_NAMES } from "../../../src/chat/names.ts";
import { PLATFORMS, REFUSED_PLATFORMS } from "../../../src/providers/delivery/index.ts";

const keysOf = (schema: z.ZodObject): KeyTable =>
  Object.fromEntries(Object.keys(schema.shape).map((key) => [key, undefined]));

test("the names that a start knows are those of the schemas that read the blocks", () => {
  const sentTo = keysOf(DeliveryWire);
  const extra = apiServerBlock().shape.extra;
  const chat = {
    ...sentTo,
    extra: { ...keysOf(chatExtraWire()), channels: { [EACH]: keysOf(chatChoiceWire()) } },
  };
  const own: Readonly<Record<string, KeyTable>> = {
    email: keysOf(MailExtraWire),
    dingtalk: keysOf(DingtalkExtraWire),
  };
  const names = [...PLATFORMS, ...REFUSED_PLATFORMS].flatMap(({ kind, name }) => [kind, name]);
  const dashboard = dashboardBlock().shape.extra.unwrap();
  // The keys that are open have no value: only a strict comparison sees them.
  expect(PLATFORM_KEYS).toStrictEqual({
    api_server: {
      enabled: undefined,
      extra: keysOf(extra instanceof z.ZodOptional ? extra.unwrap() : extra),
    },
    dashboard: {
      enabled: undefined,
      extra: { ...keysOf(dashboard), openid: keysOf(dashboard.shape.openid.unwrap()) },
    },
    webhook: {
      enabled: undefined,
      extra: { ...keysOf(WebhookWire), routes: { [EACH]: keysOf(RouteWire) } },
    },
    ...Object.fromEntries(["email", "sms", ...names].map((name) => [name, sentTo])),
    ...Object.fromEntries(
      Object.entries(CHAT_NAMES).flatMap((pair) =>
        pair.map((name) => [name, { ...chat, extra: { ...chat.extra, ...own[pair[0]] } }]),
      ),
    ),
  });
});

test.each([
  [{ telegarm: {} }, "platforms.telegarm", "platforms.telegram"],
  [{ slack: { enable: true } }, "platforms.slack.enable", "platforms.slack.enabled"],
  [
    { telegram: { extra: { channels: { "42": { persnoa: "desk" } } } } },
    "platforms.telegram.extra.channels.42.persnoa",
    "platforms.telegram.extra.channels.42.persona",
  ],
  [{ telegram: { extra: { alow: [] } } }, "platforms.telegram.extra.alow", "platforms.telegram.extra.allow"],
  [
    { webhook: { extra: { routes: { mine: { promt: "" } } } } },
    "platforms.webhook.extra.routes.mine.promt",
    "platforms.webhook.extra.routes.mine.prompt",
  ],
  [{ pigeons: {} }, "platforms.pigeons", undefined],
])("%j has a key that nothing reads", (platforms, path, suggestion) => {
  expect(unreadPlatformKeys({ platforms })).toEqual([
    suggestion === undefined ? { path } : { path, suggestion },
  ]);
});

test.each([
  undefined,
  "text",
  { webhook: { extra: { routes: { any: { deliver_extra: { chat: "1" } } } } } },
  { telegram: null },
  { email: { extra: { imap_host: "imap.example.org", allow: [] } } },
])("%j has none", (platforms) => {
  expect(unreadPlatformKeys({ platforms })).toEqual([]);
});
