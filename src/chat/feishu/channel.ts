import { HostError } from "../../shared/errors/host-error.ts";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { textIn } from "../port/answers.ts";
import type { Channel, Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import { ClickAnswers } from "../port/click-answers.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { FeishuApi } from "./api.ts";
import { holdConnection, type TakenEvent } from "./connection.ts";
import { FeishuDirectory } from "./directory.ts";
import { FeishuEventWire } from "./event.ts";
import { downloadResource } from "./files.ts";
import { readFeishuEvent } from "./receive.ts";
import { patchCard, sendCard } from "./send.ts";
import { decrypted, isSignedByFeishu } from "./verify.ts";

/** Feishu waits three seconds for what the one who pressed a button is told. */
const ANSWER_MS = 2000;

/** Makes the channel of an app's bot. */
export function feishuChannel(account: Account, ports: ChannelPorts): Channel {
  const api = new FeishuApi(account, ports);
  const directory = new FeishuDirectory(api);
  const answers = new ClickAnswers(ports.clock, ANSWER_MS);
  let botId: string | undefined;

  async function connect(signal: AbortSignal): Promise<{ readonly id: string; readonly name: string }> {
    const { bot } = await api.call("/bot/v3/info", { method: "GET", signal });
    if (!isJsonObject(bot) || typeof bot["open_id"] !== "string")
      throw new HostError(
        "config_invalid",
        "feishu: the app has no bot: on open.feishu.cn/app, your app, Add Features, add Bot, and publish a version.",
      );
    botId = bot["open_id"];
    return { id: botId, name: textIn("feishu", bot, "app_name") };
  }

  async function take(sink: Sink, event: unknown, signal: AbortSignal): Promise<TakenEvent> {
    const news = readFeishuEvent(event, botId ?? (await connect(signal)).id);
    const whole = news && (await directory.completed(news, signal));
    if (whole === undefined) return {};
    const said = whole.type === "click" ? answers.to(whole.eventId) : undefined;
    await sink.take([whole]);
    return said === undefined ? {} : { answer: said.then(toastOf) };
  }

  return {
    // The menu of a bot is part of the app's settings: no commands can be announced.
    connect: (_commands, signal) => connect(signal),
    receive: (sink, signal) =>
      holdConnection({ api, ports, sink, signal, take: (event) => take(sink, event, signal) }),
    async webhook(request, sink): Promise<WebhookAnswer> {
      const event = genuineEvent(account, request, ports.clock.now());
      if (event === undefined) return { status: 401 };
      if (event["type"] === "url_verification") return answered({ challenge: event["challenge"] });
      const { answer } = await take(sink, event, new AbortController().signal);
      return answered((await answer) ?? {});
    },
    send: (message, signal) => sendCard(api, message, signal),
    edit: (edit, signal) => patchCard(api, edit, signal),
    answerClick: ({ answerId = "" }, text) => Promise.resolve(answers.say(answerId, text)),
    download: (file, maxBytes, signal) => downloadResource(api, file, { maxBytes, signal }),
  };
}

const answered = (body: object): WebhookAnswer => ({
  status: 200,
  body: JSON.stringify(body),
  contentType: "application/json",
});

/** https://open.feishu.cn/document/feishu-cards/card-callback-communication */
const toastOf = (content: string): object | undefined =>
  content === "" ? undefined : { toast: { type: "info", content } };

/**
 * What a request says, when it is genuine: it is signed, and encrypted with our key, and has our token. The request by which
 * Feishu finds out whether the address is the owner's need not be signed.
 */
function genuineEvent(
  { secrets: { encryptKey = "", verificationToken = "" } }: Account,
  request: WebhookRequest,
  now: number,
): Readonly<Record<string, unknown>> | undefined {
  const isSigned = isSignedByFeishu(encryptKey, request, now);
  const mayBeChallenge = encryptKey !== "" && request.headers["x-lark-signature"] === undefined;
  if (verificationToken === "" || (!isSigned && !mayBeChallenge)) return undefined;
  const event = decrypted(encryptKey, request.body);
  if (!isJsonObject(event)) return undefined;
  const isChallenge = event["type"] === "url_verification";
  const token = isChallenge ? String(event["token"]) : FeishuEventWire.safeParse(event).data?.header.token;
  const isOurs = token !== undefined && secretCheck(verificationToken)(token);
  return isOurs && (isSigned || isChallenge) ? event : undefined;
}
