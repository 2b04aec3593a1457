import { HostError } from "../../shared/errors/host-error.ts";
import type { Channel, Sink } from "../port/channel.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { DingtalkApi } from "./api.ts";
import { sendCardOf, updateCard } from "./cards.ts";
import { readRobotMessage, readPressed } from "./receive.ts";
import { isOutsider, sendByRobot } from "./send.ts";
import { Sessions } from "./sessions.ts";
import { cardTemplate } from "./settings.ts";
import { holdStream, TOPICS } from "./stream.ts";

/** Makes the channel of an app's robot. @throws HostError `config_invalid` */
export function dingtalkChannel(account: Account, ports: ChannelPorts): Channel {
  if (account.mode === "webhook")
    throw new HostError(
      "config_invalid",
      "platforms.dingtalk.extra.mode: webhook does not work: messages come in stream mode. Leave it out.",
    );
  const api = new DingtalkApi(account, ports);
  const sessions = new Sessions(ports.notes);
  const template = cardTemplate(account);

  async function take(sink: Sink, topic: string, { data, id }: { data: unknown; id: string }): Promise<void> {
    if (topic === TOPICS.card) {
      const click = readPressed(data, id);
      return click && (await sink.take([click]));
    }
    const read = topic === TOPICS.message ? readRobotMessage(data) : undefined;
    if (read === undefined) return;
    const { message, session } = read;
    if (session !== undefined) await sessions.note(message.place.chatId, session);
    await sink.take([message]);
  }

  return {
    ...(template !== undefined && {
      capabilities: { edit: true, buttons: true },
      edit: (edit, signal) => updateCard(api, edit, signal),
    }),
    // The robot's commands are part of the app's settings, and DingTalk does not say its name.
    async connect(_commands, signal) {
      await api.prove(signal);
      return { id: api.robotCode, name: api.robotCode };
    },
    receive: (sink, signal) =>
      holdStream({ api, ports, sink, signal, take: (topic, data, id) => take(sink, topic, { data, id }) }),
    async send(message, signal) {
      // Cards go to people of the own organisation only.
      const isCard =
        template !== undefined && message.file === undefined && !isOutsider(message.place.chatId);
      return isCard
        ? await sendCardOf({ api, template, now: ports.clock.now() }, message, signal)
        : await sendByRobot({ api, sessions }, message, signal);
    },
    download: ({ ref }, maxBytes, signal) => api.file(ref, maxBytes, signal),
  };
}
