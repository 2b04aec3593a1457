import { KeyedSemaphore } from "../../shared/async/keyed-semaphore.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { afterSending, refusalError } from "../port/answers.ts";
import type { Channel, Sink } from "../port/channel.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { OutgoingMessage } from "../port/outgoing.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { buttonCard, pressedCard } from "./cards.ts";
import { decipher } from "./cipher.ts";
import { WecomLink } from "./link.ts";
import { isReplaced, readCallback } from "./receive.ts";

const PUBLIC_URL = "https://qyapi.weixin.qq.com";
const SOCKET_URL = "wss://openws.work.weixin.qq.com";
/** A connection that nobody reads is closed again. */
const CLAIM_MS = 1000;
/** Messages on their way at a time: all of them are in doubt when the connection breaks, and are sent again. */
const MOST_SENDING = 4;
/** `agent doctor` tries the secret, and goes again. */
const REPLACED_MS = 3000;

/** Makes the channel of an AI bot by its long connection, through which all goes. */
export function botChannel({ baseUrl, secrets, from = "" }: Account, ports: ChannelPorts): Channel {
  const links = new Links();
  const sending = new KeyedSemaphore(() => MOST_SENDING);
  let cancelClaim: () => void = () => undefined;

  async function receive(sink: Sink, signal: AbortSignal): Promise<void> {
    cancelClaim();
    const link = await links.current(signal);
    try {
      for await (const frame of link.callbacks(() => sink.alive())) {
        if (isReplaced(frame))
          throw new HostError("fetch_failed", "wecom: another program is connected as the bot.", {
            details: { retryAfterMs: REPLACED_MS },
          });
        const event = readCallback(frame);
        if (event !== undefined) await sink.take([event]);
      }
    } finally {
      links.use(undefined);
    }
    if (!signal.aborted) throw new HostError("fetch_failed", "wecom: the connection was closed.");
  }

  return {
    async connect(_commands, signal) {
      links.use(undefined);
      const url = baseUrl === PUBLIC_URL ? SOCKET_URL : baseUrl.replace(/^http/, "ws");
      const opened = new WecomLink(await ports.socket(url, { signal }), ports);
      try {
        await opened.subscribe(from, secrets["secret"] ?? "");
      } catch (thrown) {
        opened.close();
        throw thrown;
      }
      links.use(opened);
      cancelClaim = ports.clock.after(CLAIM_MS, () => links.use(undefined));
      return { id: from, name: from };
    },
    receive,
    async send(message, signal) {
      // Who has no connection waits for one, and then for a place; by then it may be another one.
      await links.current(signal);
      const leave = await sending.enter(from, signal);
      try {
        return await sendByBot(await links.current(signal), message, ports.clock.now());
      } finally {
        leave();
      }
    },
    async answerClick({ answerId = "[]" }, text, signal) {
      const [reqId = "", taskId = ""] = JSON.parse(answerId) as readonly string[];
      const card = { response_type: "update_template_card", template_card: pressedCard(text, taskId) };
      const link = await links.current(signal);
      await link.request("aibot_respond_update_msg", card, reqId);
    },
    download: (file, maxBytes, signal) => downloadByBot(ports, file, { maxBytes, signal }),
  };
}

/** A connection is there again so soon, or not for long. */
const RECONNECT_MS = 20_000;

/** The connection that there is, one after the other. */
class Links {
  #link: WecomLink | undefined;
  #next = Promise.withResolvers<WecomLink>();

  /** Ends the one that there was. */
  use(link: WecomLink | undefined): void {
    this.#link?.close();
    this.#link = link;
    if (link === undefined) return;
    this.#next.resolve(link);
    this.#next = Promise.withResolvers<WecomLink>();
  }

  /** Gives the connection; while there is none, the next one. @throws HostError `delivery_failed` when that takes long */
  async current(signal: AbortSignal): Promise<WecomLink> {
    if (this.#link !== undefined) return this.#link;
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = (): void =>
      reject(
        new HostError(
          "delivery_failed",
          "wecom: the bot is not connected: texts go out while agent gateway runs.",
        ),
      );
    const late = AbortSignal.any([signal, AbortSignal.timeout(RECONNECT_MS)]);
    if (late.aborted) giveUp();
    late.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([this.#next.promise, promise]);
    } finally {
      late.removeEventListener("abort", giveUp);
    }
  }
}

/** Posts a message, and a card with its buttons below it. The answer names none: what is given is our own id. */
async function sendByBot(
  link: WecomLink,
  { place: { chatId: chatid }, text, buttons = [], once, again, file }: OutgoingMessage,
  now: number,
): Promise<string> {
  if (file !== undefined) throw new HostError("invalid_params", "wecom: no files go out here.");
  await link.request("aibot_send_msg", { chatid, msgtype: "markdown", markdown: { content: text } });
  // The id of a card is good for once.
  const taskId = again === true ? `${once}-${now.toString(36)}` : once;
  if (buttons.length > 0)
    await afterSending(
      link.request("aibot_send_msg", {
        chatid,
        msgtype: "template_card",
        template_card: buttonCard(buttons, taskId),
      }),
    );
  return taskId;
}

/** Gets a file, at its own address for five minutes, and encrypted with a key of its own. */
async function downloadByBot(
  ports: Pick<ChannelPorts, "fetch">,
  { ref }: IncomingFile,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  // It was written when the message came.
  const [url, key] = JSON.parse(ref) as readonly [string, string];
  const { status, bytes } = await ports.fetch({ url, maxBytes, signal });
  if (status !== 200)
    throw refusalError({ platform: "wecom", status, message: "the file is not there any more" });
  const plain = key === "" ? Buffer.from(bytes) : decipher(Buffer.from(key, "base64"), bytes);
  if (plain !== undefined) return plain;
  throw new HostError("invalid_params", "wecom: the file could not be decrypted.");
}
