import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { Channel, ChannelCommand, Sink } from "../port/channel.ts";
import type { Person } from "../port/place.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { DiscordApi } from "./api.ts";
import { BotRoles } from "./bot-roles.ts";
import { channelOf, Channels } from "./channels.ts";
import { lossOf } from "./close-codes.ts";
import { menuOf } from "./commands.ts";
import { download } from "./download.ts";
import { personOf } from "./event.ts";
import { type GatewaySession, holdGateway } from "./gateway.ts";
import { Interactions } from "./interactions.ts";
import { KnownPlaces } from "./known-places.ts";
import { DispatchReader } from "./receive.ts";
import { modifyMessage, createMessage } from "./send.ts";
import { BotWire, GatewayBotWire } from "./wire.ts";

/** Makes the channel of a bot. @throws HostError `config_invalid` */
export function discordChannel(account: Account, ports: ChannelPorts): Channel {
  if (account.mode === "webhook")
    throw new HostError(
      "config_invalid",
      "platforms.discord.extra.mode: Discord posts no messages to webhooks. Remove the line: the agent connects by itself.",
    );
  const api = new DiscordApi(account, ports);
  const interactions = new Interactions(api);
  const bot = new Bot(account, { api, ports, interactions });
  return {
    connect: (commands, signal) => bot.connect(commands, signal),
    receive: (sink, signal) => bot.receive(sink, signal),
    send: (message, signal) => createMessage(api, message, signal),
    edit: (edit, signal) => modifyMessage(api, edit, signal),
    async typing(place, signal) {
      await api.call("POST", { path: `/channels/${channelOf(place)}/typing`, signal });
    },
    async answerClick({ answerId: token }, text, signal) {
      if (token !== undefined)
        await interactions.tell({ applicationId: bot.applicationId, token }, text, signal);
    },
    download: (file, maxBytes, signal) => download(api, file, { maxBytes, signal }),
  };
}

interface BotParts {
  readonly api: DiscordApi;
  readonly ports: ChannelPorts;
  readonly interactions: Interactions;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** The bot's account, and its session of the gateway. */
class Bot {
  readonly #account: Account;
  readonly #parts: BotParts;
  readonly #known: KnownPlaces;
  #person: Person | undefined;
  #reader: DispatchReader | undefined;
  #session: GatewaySession | undefined;
  #isAnnounced = false;
  /** Connections since the last one on which a session began or went on. */
  #losses = 0;
  applicationId = "";

  constructor(account: Account, parts: BotParts) {
    this.#account = account;
    this.#parts = parts;
    this.#known = new KnownPlaces(parts.ports);
  }

  async connect(commands: readonly ChannelCommand[], signal: AbortSignal): Promise<Person> {
    const { api } = this.#parts;
    // While a session can be resumed the account is known.
    if (this.#session !== undefined && this.#person !== undefined) return this.#person;
    const me = BotWire.safeParse(await this.#ask("/users/@me", signal)).data;
    const application = await this.#ask("/applications/@me", signal);
    const applicationId = isJsonObject(application) ? application["id"] : undefined;
    if (me === undefined || typeof applicationId !== "string")
      throw new HostError("delivery_failed", "discord: the API did not say who the bot is.");
    this.applicationId = applicationId;
    this.#person = { id: me.id, name: personOf(me).name };
    const { clock } = this.#parts.ports;
    this.#reader ??= new DispatchReader({
      ...this.#parts,
      channels: new Channels(api, clock),
      known: this.#known,
      botId: me.id,
      roles: new BotRoles(api, { clock, botId: me.id }),
    });
    const path = `/applications/${applicationId}/commands`;
    // Without its menu the bot works all the same; the next new session tries again.
    if (!this.#isAnnounced)
      this.#isAnnounced = await api.call("PUT", { path, body: menuOf(commands), signal }).then(
        () => true,
        () => false,
      );
    return this.#person;
  }

  async receive(sink: Sink, signal: AbortSignal): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined)
      throw new HostError("delivery_failed", "discord: the bot is not connected yet.");
    const session = this.#session;
    this.#losses += 1;
    try {
      await holdGateway(
        {
          ports: this.#parts.ports,
          token: this.#account.secrets["token"] ?? "",
          url: session?.url ?? (await this.#gatewayUrl(signal)),
          session,
          changed: (changed) => void (this.#session = changed),
          take: (dispatches) => {
            this.#losses = 0;
            return reader.take(dispatches, { sink, sessionId: this.#session?.id ?? "", signal });
          },
          alive: () => sink.alive(),
        },
        signal,
      );
    } catch (thrown) {
      throw this.#later(toHostError(thrown));
    } finally {
      await this.#known.note();
    }
  }

  /** The API may be there while the gateway is not: each loss without a session waits longer than the one before. */
  #later(error: HostError): HostError {
    if (this.#losses < 2) return error;
    const { retryAfterMs: asked = 0 } = error.details;
    const retryAfterMs = Math.max(asked, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#losses - 1)));
    return new HostError(error.code, error.message, {
      cause: error,
      details: { ...error.details, retryAfterMs },
    });
  }

  async #gatewayUrl(signal: AbortSignal): Promise<string> {
    const { data } = GatewayBotWire.safeParse(await this.#ask("/gateway/bot", signal));
    if (data === undefined) throw new HostError("delivery_failed", "discord: the API named no gateway.");
    const { url, session_start_limit: limit } = data;
    if (limit?.remaining !== 0) return url;
    throw new HostError("delivery_failed", "discord: the bot has begun too many sessions today.", {
      details: { retryAfterMs: limit.reset_after },
    });
  }

  /** @throws HostError `config_invalid` when the token is not valid */
  async #ask(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#parts.api.call("GET", { path, signal });
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== "unauthorized") throw error;
      const { message } = error;
      throw lossOf(new HostError("unauthorized", message, { cause: error, details: { closeCode: 4004 } }))
        .error;
    }
  }
}
