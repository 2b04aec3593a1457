import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Channel } from "../port/channel.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { textIn } from "../port/answers.ts";
import { EncryptedRooms } from "./encrypted.ts";
import { KnownEvents } from "./known-events.ts";
import { MATRIX_LIMITS } from "./limits.ts";
import { MatrixRooms } from "./rooms.ts";
import { replaceMessage, sendRoomMessage } from "./send.ts";
import { receiveNews } from "./sync.ts";
import type { MatrixBot } from "./text.ts";

/** Makes the channel of an account. @throws HostError `config_invalid` */
export function matrixChannel(account: Account, ports: ChannelPorts): Channel {
  if (account.mode === "webhook")
    throw new HostError(
      "config_invalid",
      "platforms.matrix.extra.mode: webhook does not work: messages are asked for. Leave it out.",
    );
  const { clock } = ports;
  const api = new MatrixApi(account, ports);
  const rooms = new MatrixRooms(api, clock);
  const known = new KnownEvents(api, clock);
  const encrypted = new EncryptedRooms(api, ports);
  const typing = new Typing(api);
  let bot: MatrixBot | undefined;
  let edits = 0;

  return {
    async connect(_commands, signal) {
      bot = await whoAmI(api, signal);
      return { id: bot.id, name: bot.id };
    },
    async receive(sink, signal) {
      if (bot === undefined) throw new HostError("delivery_failed", "matrix: it is not connected yet.");
      try {
        await receiveNews({ api, ports, rooms, known, encrypted, bot, sink, signal });
      } catch (thrown) {
        if (signal.aborted) return;
        throw withAdvice(thrown);
      }
    },
    async send(message, signal) {
      const id = await sendRoomMessage(api, message, signal);
      if (id !== "" && bot !== undefined)
        known.note(id, { sender: bot.id, threadId: message.place.threadId });
      await typing.end(message.place.chatId, bot, signal);
      return id;
    },
    edit: (edit, signal) => {
      // Each change is one: a text may come back to what it was.
      const transaction = `edit-${clock.now()}-${(edits += 1)}`;
      return replaceMessage(api, edit, { signal, transaction });
    },
    typing: (place, signal) => typing.show(place.chatId, bot, signal),
    download: ({ ref }, maxBytes, signal) => api.download(ref, maxBytes, signal),
  };
}

async function whoAmI(api: MatrixApi, signal: AbortSignal): Promise<MatrixBot> {
  try {
    const id = textIn("matrix", await api.call("/account/whoami", { signal }), "user_id");
    const profile = await api.call(pathOf("profile", id), { signal }).catch(() => ({}));
    const { displayname: name } = profile as { readonly displayname?: unknown };
    return { id, name: typeof name === "string" ? name : "" };
  } catch (thrown) {
    throw withAdvice(thrown);
  }
}

/** A token that is not valid is not so later. */
function withAdvice(thrown: unknown): HostError {
  const error = toHostError(thrown);
  if (error.code !== "unauthorized") return error;
  return new HostError(
    "config_invalid",
    `${error.message}. The server does not accept MATRIX_TOKEN: sign in as the bot, copy a new access token, and start the gateway again.`,
    { cause: error },
  );
}

/** The signs of typing. One stays until its time is over, or until it is taken away. */
class Typing {
  readonly #api: MatrixApi;
  readonly #shown = new Set<string>();

  constructor(api: MatrixApi) {
    this.#api = api;
  }

  async show(roomId: string, bot: MatrixBot | undefined, signal: AbortSignal): Promise<void> {
    if (bot === undefined) return;
    this.#shown.add(roomId);
    await this.#put({ roomId, bot }, { typing: true, timeout: MATRIX_LIMITS.typingMs + SPARE_MS }, signal);
  }

  async end(roomId: string, bot: MatrixBot | undefined, signal: AbortSignal): Promise<void> {
    if (bot === undefined || !this.#shown.delete(roomId)) return;
    // It ends by itself, too.
    await this.#put({ roomId, bot }, { typing: false }, signal).catch(() => undefined);
  }

  async #put(
    { roomId, bot }: { readonly roomId: string; readonly bot: MatrixBot },
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#api.call(pathOf("rooms", roomId, "typing", bot.id), { method: "PUT", body, signal });
  }
}

const SPARE_MS = 5000;
