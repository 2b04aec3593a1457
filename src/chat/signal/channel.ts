import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { Channel } from "../port/channel.ts";
import { pathOf } from "../port/request-path.ts";
import type { Account, ChannelPorts } from "../port/platform.ts";
import { SignalApi } from "./api.ts";
import { receiveByPolling, receiveBySocket } from "./connection.ts";
import { Revisions } from "./revisions.ts";
import { editSignal, sendSignal } from "./send.ts";

/** Makes the channel of a number. @throws HostError `config_invalid` */
export function signalChannel(account: Account, ports: ChannelPorts): Channel {
  if (account.mode === "webhook")
    throw new HostError(
      "config_invalid",
      "platforms.signal.extra.mode: webhook does not work: messages are asked for. Leave it out.",
    );
  const api = new SignalApi(account, ports);
  const revisions = new Revisions();
  let hasSocket = false;
  return {
    async connect(_commands, signal) {
      const about = await api.call("/v1/about", { signal });
      hasSocket = isJsonObject(about) && about["mode"] === "json-rpc";
      await checkNumber(api, signal);
      return { id: api.number, name: api.number };
    },
    async receive(sink, signal) {
      const receiver = { api, revisions, number: api.number, sink, signal };
      try {
        if (hasSocket) await receiveBySocket(receiver, ports);
        else await receiveByPolling(receiver, ports.clock);
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      }
    },
    send: (message, signal) => sendSignal(api, message, signal),
    edit: (edit, signal) => editSignal(api, { edit, revisions }, signal),
    async typing({ chatId }, signal) {
      const body = { recipient: chatId };
      await api.call(pathOf("v1", "typing-indicator", api.number), { method: "PUT", body, signal });
    },
    download: ({ ref }, maxBytes, signal) => api.file(ref, maxBytes, signal),
  };
}

/** @throws HostError `config_invalid` when the service does not have the number */
async function checkNumber(api: SignalApi, signal: AbortSignal): Promise<void> {
  const accounts = await api.call("/v1/accounts", { signal }).catch(() => undefined);
  // An old service does not tell.
  if (!Array.isArray(accounts) || accounts.includes(api.number)) return;
  throw new HostError(
    "config_invalid",
    `platforms.signal.from: the Signal service has no account ${api.number}. Register or link the number there first, and write it with + and its country.`,
  );
}
