import { configuredChats } from "../../app/chat/chat-account.ts";
import { tryChat } from "../../app/chat/try-chat.ts";
import type { ChatExtra } from "../../app/config/chat.ts";
import type { AppSettings } from "../../app/config/settings.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";
import { isWebhookEnabled } from "../../app/config/webhook.ts";
import { messageOf } from "../../shared/errors/host-error.ts";

/** Checks the chat platforms that are switched on: their secrets, and who may talk to the agent there. */
export async function* chatChecks(settings: AppSettings): AsyncGenerator<Check, void> {
  for (const { platform, account, extra, oneWay } of configuredChats(settings)) {
    const { name } = platform;
    if ("missing" in account) {
      yield { name, ok: false, text: account.missing };
      continue;
    }
    const { receive = true } = extra;
    if (receive && account.mode === "webhook" && !isWebhookEnabled(settings)) {
      yield {
        name,
        ok: false,
        text: `it posts to /webhooks/${name} of the webhook connector, which is off: set WEBHOOK_ENABLED=true`,
      };
      continue;
    }
    try {
      const bot = await tryChat(platform, account, settings.env);
      yield {
        name,
        // Texts that only go out are meant where `receive` says so.
        ok: oneWay === undefined,
        text: `${bot}; ${oneWay === undefined ? accessWords(extra) : `texts only go out: ${oneWay}`}`,
      };
    } catch (thrown) {
      yield { name, ok: false, text: messageOf(thrown) };
    }
  }
}

function accessWords({ allow = [], approvers = [] }: Pick<ChatExtra, "allow" | "approvers">): string {
  const who = allow.includes("*")
    ? "it is open: everybody may talk to the agent"
    : `${allow.length === 0 ? "nobody is" : `${allow.length} are`} allowed by the configuration; others are let in by agent pair`;
  const approves =
    approvers.length === 0 ? "nobody may approve from there" : `${approvers.length} may approve from there`;
  return `${who}; ${approves}`;
}
