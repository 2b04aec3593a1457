import { HostError } from "../../shared/errors/host-error.ts";
import type { Channel } from "../port/channel.ts";
import type { ChatPlace } from "../port/place.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import { MattermostApi } from "./api.ts";
import { textIn } from "../port/answers.ts";
import { Bookmark } from "./bookmark.ts";
import type { ButtonAddress } from "./buttons.ts";
import { Clicks } from "./clicks.ts";
import { Directory } from "./directory.ts";
import { patchPost } from "./edit.ts";
import type { BotUser } from "./events.ts";
import { FIRST_SEQ, receiveEvents } from "./receive.ts";
import { findPost, createPost } from "./send.ts";

/** Makes the channel of a bot. @throws HostError `config_invalid` */
export function mattermostChannel(account: Account, ports: ChannelPorts): Channel {
  if (account.mode === "webhook")
    throw new HostError(
      "config_invalid",
      "platforms.mattermost.extra.mode: webhook does not work: messages come through the WebSocket only. Leave it out.",
    );
  const api = new MattermostApi(account, ports);
  const directory = new Directory(api);
  const bookmark = new Bookmark(ports);
  const address = buttonAddress(account);
  const clicks = address && new Clicks(address.secret, { directory, clock: ports.clock });
  const typing = new Typing();
  let bot: BotUser | undefined;

  return {
    ...(clicks && {
      capabilities: { buttons: true },
      webhook: (request, sink) => clicks.take(request, { sink, botId: bot?.id }),
      answerClick: (click, text) => clicks.answer(click, text),
    }),
    async connect(_commands, signal) {
      const me = await api.call("/users/me", { signal });
      bot = { id: textIn("mattermost", me, "id"), username: textIn("mattermost", me, "username") };
      return { id: bot.id, name: `@${bot.username}` };
    },
    async receive(sink, signal) {
      if (bot === undefined) throw new HostError("delivery_failed", "mattermost: it is not connected yet.");
      const connected = (socket: ChatSocket | undefined): void => typing.use(socket);
      await receiveEvents({
        api,
        bot,
        directory,
        bookmark,
        sink,
        signal,
        open: ports.socket,
        connected,
      });
    },
    send: (message, signal) => createPost(api, { message, address }, signal),
    edit: (edit, signal) => patchPost(api, { edit, address }, signal),
    find: (message, signal) => findPost(api, message, signal),
    typing: (place) => Promise.resolve(typing.show(place)),
    download: ({ ref }, maxBytes, signal) => api.file(ref, maxBytes, signal),
  };
}

/** @throws HostError `config_invalid` when there is an address without a secret */
function buttonAddress({ extra, secrets }: Account): ButtonAddress | undefined {
  const { webhook_url: url } = extra;
  if (typeof url !== "string") return undefined;
  const { webhookSecret: secret = "" } = secrets;
  if (secret.length >= SHORTEST_SECRET) return { url, secret };
  throw new HostError(
    "config_invalid",
    `platforms.mattermost.extra.webhook_url is set, for buttons: set MATTERMOST_WEBHOOK_SECRET too, ${SHORTEST_SECRET} letters or digits at least.`,
  );
}

const SHORTEST_SECRET = 16;

/** The signs of typing, which go through the WebSocket while there is one. */
class Typing {
  #socket: ChatSocket | undefined;
  #seq = FIRST_SEQ;

  use(socket: ChatSocket | undefined): void {
    this.#socket = socket;
    this.#seq = FIRST_SEQ;
  }

  show({ chatId, threadId = "" }: ChatPlace): void {
    this.#seq += 1;
    const data = { channel_id: chatId, parent_id: threadId };
    this.#socket?.send(JSON.stringify({ action: "user_typing", seq: this.#seq, data }));
  }
}
