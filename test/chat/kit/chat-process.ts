import type { HostOptions, Models } from "../../../src/core/index.ts";
import { type DeliveryDraft, Outbox, type Sender } from "../../../src/automation/delivery/index.ts";
import { chatFetch } from "../../../src/app/chat/chat-fetch.ts";
import { openChatSocket } from "../../../src/app/chat/chat-socket.ts";
import { openChatStream } from "../../../src/app/chat/chat-stream.ts";
import {
  type Account,
  ChatConnector,
  type ChatPlatform,
  type ChatSettings,
  Inbox,
  Pairing,
  targetOf,
} from "../../../src/chat/index.ts";
import { type Clock, SlashCommands, systemClock } from "../../../src/core/index.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { memoryStore, type HomeStore } from "../../../src/providers/store/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { defined } from "../../../src/shared/json/defined.ts";
import { random } from "../../kit/counts.ts";
import { hostWith, type TestHost } from "../../kit/test-host.ts";

/** The options of a process with one connector. */
export interface ChatProcessOptions {
  readonly platform: ChatPlatform;
  readonly account: Partial<Account> & Pick<Account, "baseUrl" | "secrets">;
  readonly models: Models;
  readonly settings?: Partial<ChatSettings>;
  readonly host?: Partial<HostOptions>;
  readonly clock?: Clock;
  readonly store?: HomeStore;
}

/** A connector on a host of its own, as `agent gateway` has it. */
export interface ChatProcess extends AsyncDisposable {
  readonly host: TestHost;
  readonly connector: ChatConnector;
  readonly inbox: Inbox;
  readonly pairing: Pairing;
  readonly outbox: Outbox;
  readonly reported: HostError[];
  readonly store: HomeStore;
  /** The connection's states, in order. */
  readonly states: string[];
}

/** Everybody may talk, nobody may approve. */
const OPEN: ChatSettings = { allow: ["*"], approvers: [], busyMode: "queue" };

/** Starts a connector; it receives when this resolves. */
export async function startChat(options: ChatProcessOptions): Promise<ChatProcess> {
  const { platform, models, clock = hurriedClock } = options;
  const store = options.store ?? memoryStore({ random: random(1) });
  const host = await hostWith(models, { ...options.host, store });
  const reported: HostError[] = [];
  const report = (error: HostError): void => void reported.push(error);
  const states: string[] = [];
  const settings = { ...OPEN, ...options.settings };
  const sender: Sender = {
    retryMs: [1000, 10_000],
    async send({ id, target, text, partsSent, uncertain, createdAt }, signal) {
      const place = { chatId: target.chatId ?? "", ...defined({ threadId: target.threadId }) };
      const late = { id, target: place, text, createdAt, ...defined({ partsSent, uncertain }) };
      await connector.deliver(late, signal);
    },
  };
  const outbox = new Outbox({ records: store.records, clock, senders: () => sender, report });
  const account: Account = { mode: platform.mode, extra: {}, ...options.account };
  const connector: ChatConnector = new ChatConnector({
    platform,
    account,
    ports: {
      fetch: chatFetch(account.baseUrl, {
        clock: systemClock,
        proxies: { http: undefined, https: undefined, direct: [] },
      }),
      socket: openChatSocket,
      connect: openChatStream,
      clock,
    },
    host,
    records: store.records,
    clock,
    commands: new SlashCommands(),
    settings: () => settings,
    stopProcesses: () => Promise.resolve(0),
    sendLater: async ({ entry: { id, run, event }, text, partsSent, uncertain }) => {
      const draft: DeliveryDraft = {
        id: `${id}:${run}`,
        target: targetOf(platform.kind, event.place),
        text,
        source: { kind: "chat", id },
        ...defined({ partsSent: partsSent || undefined, uncertain: uncertain || undefined }),
      };
      await outbox.put(draft);
    },
    report,
    changed: (state) => void states.push(state),
  });
  connector.start();
  outbox.start();
  return {
    host,
    connector,
    inbox: new Inbox(store.records, clock, platform.name),
    pairing: new Pairing(store.records, clock),
    outbox,
    reported,
    store,
    states,
    async [Symbol.asyncDispose]() {
      connector.drain();
      await connector.close();
      await outbox[Symbol.asyncDispose]();
      await host.close();
    },
  };
}
