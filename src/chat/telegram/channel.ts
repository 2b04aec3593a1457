import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { Channel, ChannelCommand, Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { Person } from "../port/place.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { TelegramApi } from "./api.ts";
import { editMessage } from "./edit.ts";
import { MovedGroups } from "./moved-groups.ts";
import { receivedEvents, receiveUpdates, WANTED_UPDATES } from "./receive.ts";
import { placeFields, sendMessage } from "./send.ts";
import type { Bot } from "./text.ts";
import { isGenuine } from "./verify.ts";

const COMMAND = /^[a-z0-9_]{1,32}$/;
const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 200;

/** Makes the channel of a bot. @throws HostError `config_invalid` */
export function telegramChannel(account: Account, ports: ChannelPorts): Channel {
  const moved = new MovedGroups(ports);
  const api = new TelegramApi(account, ports, moved);
  const { mode, secrets } = account;
  const webhookSecret = secrets["webhookSecret"] ?? "";
  let bot: Bot | undefined;
  const connected = (): Bot => {
    if (bot !== undefined) return bot;
    throw new HostError("delivery_failed", "telegram: the bot is not connected yet.");
  };

  async function connect(commands: readonly ChannelCommand[], signal: AbortSignal): Promise<Person> {
    const isFirst = bot === undefined;
    await moved.load();
    bot = botOf(await api.call("getMe", {}, { signal }));
    if (isFirst) {
      await api.call("setMyCommands", { commands: menuOf(commands) }, { signal });
      // Updates come one way only; what waits is kept.
      if (mode === "connection") await api.call("deleteWebhook", {}, { signal });
      else await api.call("setWebhook", webhookFields(account, webhookSecret), { signal });
    }
    return { id: String(bot.id), name: `@${bot.username}` };
  }

  return {
    connect,
    knownAs: moved.firstId,
    receive: (sink: Sink, signal) => receiveUpdates(api, { bot: connected(), moved, sink, signal }),
    async webhook(request: WebhookRequest, sink): Promise<WebhookAnswer> {
      if (!isGenuine(webhookSecret, request)) return { status: 401 };
      const update = parseForeignJson(Buffer.from(request.body).toString("utf8"));
      await sink.take(await receivedEvents([update], { bot: connected(), moved }));
      return { status: 200 };
    },
    send: (message, signal) => sendMessage(api, message, signal),
    edit: (edit, signal) => editMessage(api, edit, signal),
    async typing(place, signal) {
      await api.call("sendChatAction", { ...placeFields(place), action: "typing" }, { signal });
    },
    async answerClick({ answerId }, text, signal) {
      await api.call(
        "answerCallbackQuery",
        { callback_query_id: answerId, text: text.slice(0, 200) },
        { signal },
      );
    },
    async download({ ref }: IncomingFile, maxBytes, signal) {
      const found = await api.call("getFile", { file_id: ref }, { signal });
      const path = isJsonObject(found) ? found["file_path"] : undefined;
      if (typeof path === "string" && !path.includes("..")) return await api.file(path, maxBytes, signal);
      throw new HostError("not_found", "telegram: the file is not there any more.");
    },
  };
}

/** @throws HostError `delivery_failed` */
function botOf(result: unknown): Bot {
  const { id, username } = isJsonObject(result) ? result : {};
  if (typeof id === "number" && typeof username === "string") return { id, username };
  throw new HostError("delivery_failed", "telegram: getMe did not say who the bot is.");
}

const menuOf = (commands: readonly ChannelCommand[]) =>
  commands
    .filter(({ name }) => COMMAND.test(name))
    .slice(0, MOST_COMMANDS)
    .map(({ name, description }) => ({
      command: name,
      description: description.slice(0, LONGEST_DESCRIPTION) || name,
    }));

/** @throws HostError `config_invalid` */
function webhookFields({ extra }: Account, secret: string): Readonly<Record<string, unknown>> {
  const { webhook_url: url } = extra;
  if (typeof url !== "string" || !url.startsWith("https://"))
    throw new HostError(
      "config_invalid",
      "platforms.telegram.extra.webhook_url is missing: write the public https:// address of /webhooks/telegram.",
    );
  return { url, secret_token: secret, allowed_updates: WANTED_UPDATES };
}
