import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { Channel, Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import type { Person } from "../port/place.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { SlackApi } from "./api.ts";
import { updateMessage } from "./edit.ts";
import { downloadFile } from "./files.ts";
import { findMessage } from "./find.ts";
import { People } from "./people.ts";
import { type SlackPayload, readPayload } from "./receive.ts";
import { postMessage } from "./send.ts";
import { receiveEnvelopes } from "./socket.ts";
import type { SlackBot } from "./text.ts";
import { isSignedBySlack } from "./verify.ts";

/** Makes the channel of an app's bot. */
export function slackChannel(account: Account, ports: ChannelPorts): Channel {
  const api = new SlackApi(account, ports);
  const people = new People(api);
  const { signingSecret = "" } = account.secrets;
  let bot: SlackBot | undefined;

  async function connect(signal: AbortSignal): Promise<SlackBot> {
    const { user_id: id, user: name } = await api.call("auth.test", {}, { signal });
    if (typeof id !== "string" || typeof name !== "string")
      throw new HostError("delivery_failed", "slack: auth.test did not say who the bot is.");
    bot = { id, name };
    return bot;
  }

  async function take(sink: Sink, payload: SlackPayload, signal: AbortSignal): Promise<void> {
    const events = readPayload(payload, bot ?? (await connect(signal)));
    await sink.take(await people.named(events, signal));
  }

  return {
    // Slack's own commands are part of the app's settings: none can be announced.
    async connect(_commands, signal): Promise<Person> {
      const { id, name } = await connect(signal);
      return { id, name: `@${name}` };
    },
    receive: (sink, signal) =>
      receiveEnvelopes(api, ports, { sink, take: (payload) => take(sink, payload, signal), signal }),
    async webhook(request, sink): Promise<WebhookAnswer> {
      if (!isSignedBySlack(signingSecret, request, ports.clock.now())) return { status: 401 };
      const read = payloadOf(request);
      if (isJsonObject(read.payload) && read.payload["type"] === "url_verification")
        return { status: 200, body: String(read.payload["challenge"]) };
      await take(sink, read, new AbortController().signal);
      return { status: 200 };
    },
    send: (message, signal) => postMessage(api, message, signal),
    edit: (edit, signal) => updateMessage(api, edit, signal),
    // A status is shown in threads only: https://docs.slack.dev/reference/methods/assistant.threads.setStatus
    async typing({ chatId, threadId }, signal) {
      if (threadId === undefined) return;
      const fields = { channel_id: chatId, thread_ts: threadId, status: "is writing…" };
      await api.call("assistant.threads.setStatus", fields, { signal });
    },
    async find(message, signal) {
      const { id: botId } = bot ?? (await connect(signal));
      return await findMessage(api, message, { botId, now: ports.clock.now(), signal });
    },
    async answerClick({ answerId = "{}" }, text, signal) {
      const place = parseForeignJson(answerId);
      if (isJsonObject(place)) await api.call("chat.postEphemeral", { ...place, text }, { signal });
    },
    download: (file, maxBytes, signal) => downloadFile(api, file, { maxBytes, signal }),
  };
}

/** What a request holds: events come as JSON, buttons and commands as a form. */
function payloadOf({ headers, body }: WebhookRequest): SlackPayload {
  const text = Buffer.from(body).toString("utf8");
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") !== true)
    return { kind: "events_api", payload: parseForeignJson(text) };
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  if (payload !== null) return { kind: "interactive", payload: parseForeignJson(payload) };
  return { kind: "slash_commands", payload: Object.fromEntries(form) };
}
