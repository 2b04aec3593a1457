import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { markdownParts } from "../../providers/delivery/index.ts";
import { AccessToken, type GivenToken } from "../port/access-token.ts";
import { afterSending, beforeSending, jsonBody, refusalError, textIn } from "../port/answers.ts";
import type { Channel } from "../port/channel.ts";
import type { OutgoingMessage } from "../port/outgoing.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import type { ChannelRequest } from "../port/transport.ts";
import { readAppMessage } from "./app-receive.ts";
import { buttonCard } from "./cards.ts";
import { WECOM_MENTIONS } from "./limits.ts";
import { wecomRefusal } from "./refusal.ts";
import { genuineContent } from "./verify.ts";

/** Makes the channel of a self-built app, to which WeCom posts. @throws HostError `config_invalid` */
export function appChannel(account: Account, ports: ChannelPorts): Channel {
  const [corpId = "", agent = "", ...others] = (account.from ?? "").split("/");
  if (corpId === "" || !/^\d{1,10}$/.test(agent) || others.length > 0)
    throw new HostError(
      "config_invalid",
      "platforms.wecom.from is not valid for extra.mode: webhook: write the id of your corporation and the AgentId of the app, as ww0123/1000002.",
    );
  const { callbackToken: token = "", aesKey = "" } = account.secrets;
  const api = new AppApi(account, ports, corpId);
  return {
    async connect(_commands, signal) {
      await api.prove(signal);
      return { id: agent, name: agent };
    },
    async webhook(request, sink) {
      const content = genuineContent({ token, aesKey, corpId }, request, ports.clock.now());
      if (content === undefined) return { status: 401 };
      if (request.method === "GET") return { status: 200, body: content };
      const event = readAppMessage(content);
      if (event !== undefined) await sink.take([event]);
      // Nothing is answered here: what is to be said takes longer than WeCom waits.
      return { status: 200, body: "" };
    },
    send: (message, signal) => sendByApp(api, { message, agent, now: ports.clock.now() }, signal),
    download: ({ ref }, maxBytes, signal) => api.media(ref, maxBytes, signal),
  };
}

/** Bytes of one message, with room for what JSON adds. */
const ROOM = { limit: 650, largest: 4000, readsMarkdown: true, mentions: WECOM_MENTIONS };

/** Posts a message, a long one as several, and a card with its buttons below it. */
async function sendByApp(
  api: AppApi,
  {
    message,
    agent,
    now,
  }: { readonly message: OutgoingMessage; readonly agent: string; readonly now: number },
  signal: AbortSignal,
): Promise<string> {
  const { place, text, buttons = [], once, again, file } = message;
  if (file !== undefined) throw new HostError("invalid_params", "wecom: no files go out here.");
  const common = { touser: place.chatId, agentid: Number(agent) };
  const taskId = again === true ? `${once}-${now.toString(36)}` : once;
  const parts = markdownParts(text, ROOM).map((part) => ({
    msgtype: "markdown",
    markdown: { content: part.text },
  }));
  const cards =
    buttons.length === 0 ? [] : [{ msgtype: "template_card", template_card: buttonCard(buttons, taskId) }];
  let id = "";
  for (const body of [...parts, ...cards]) {
    const work = api.send({ ...common, ...body }, signal);
    id = await (id === "" ? work : afterSending(work));
  }
  return id;
}

/** The API with the tokens that are got for one app: https://developer.work.weixin.qq.com/document/path/91039 */
class AppApi {
  readonly #account: Account;
  readonly #ports: Pick<ChannelPorts, "fetch" | "clock">;
  readonly #token: AccessToken;

  constructor(account: Account, ports: Pick<ChannelPorts, "fetch" | "clock">, corpId: string) {
    this.#account = account;
    this.#ports = ports;
    this.#token = new AccessToken(ports.clock, (signal) => beforeSending(this.#newToken(corpId, signal)));
  }

  async prove(signal: AbortSignal): Promise<void> {
    await this.#token.current(signal);
  }

  /** https://developer.work.weixin.qq.com/document/path/90236 */
  async send(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string> {
    const token = await this.#token.current(signal);
    const query = new URLSearchParams({ access_token: token });
    const answer = await this.#fetch(`/cgi-bin/message/send?${query.toString()}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    const read = this.#checked(jsonBody("wecom", answer), token);
    if (read["invaliduser"] === body["touser"])
      throw new HostError("not_found", "wecom: there is no such person, or the app is not visible to them.");
    return textIn("wecom", read, "msgid");
  }

  /** https://developer.work.weixin.qq.com/document/path/90254; what is no file is JSON. */
  async media(id: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const token = await this.#token.current(signal);
    const query = new URLSearchParams({ access_token: token, media_id: id });
    const answer = await this.#fetch(`/cgi-bin/media/get?${query.toString()}`, { maxBytes, signal });
    const { status, headers, bytes } = answer;
    if (headers["content-type"]?.includes("json") === true) {
      const read = parseForeignJson(Buffer.from(bytes).toString("utf8"));
      this.#checked(isJsonObject(read) ? read : {}, token);
    }
    if (status !== 200)
      throw refusalError({ platform: "wecom", status, message: "the file is not there any more" });
    return bytes;
  }

  async #newToken(corpid: string, signal: AbortSignal): Promise<GivenToken> {
    const query = new URLSearchParams({ corpid, corpsecret: this.#account.secrets["secret"] ?? "" });
    const read = jsonBody("wecom", await this.#fetch(`/cgi-bin/gettoken?${query.toString()}`, { signal }));
    if (read["errcode"] !== 0) throw wecomRefusal(read);
    return { token: textIn("wecom", read, "access_token"), seconds: Number(read["expires_in"]) || 0 };
  }

  #fetch(path: string, request: Omit<ChannelRequest, "url">) {
    return this.#ports.fetch({ url: `${this.#account.baseUrl}${path}`, ...request });
  }

  #checked(read: Readonly<Record<string, unknown>>, token: string): Readonly<Record<string, unknown>> {
    const { errcode } = read;
    if (errcode === 0) return read;
    if (!BAD_TOKEN.has(errcode)) throw wecomRefusal(read);
    this.#token.forget(token);
    throw new HostError("delivery_failed", "wecom: the access token is not valid any more.");
  }
}

const BAD_TOKEN: ReadonlySet<unknown> = new Set([40_014, 42_001]);
