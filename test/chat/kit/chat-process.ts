import type { HostOptions, Models } from "../../../src/core/index.ts";
import { Outbox, type Sender } from "../../../src/automation/delivery/index.ts";
import { chatFetch } from "../../../src/app/chat/chat-fetch.ts";
import { openChatSocket } from "../../../src/app/chat/chat-socket.ts";
import { openChatStream } from "../../../src/app/chat/chat-stream.ts";
import { wayByOutbox } from "../../../src/app/chat/way-by-outbox.ts";
import {
  type Account,
  ChatConnector,
  type ChatPlatform,
  type ChatSettings,
  type ConnectorParts,
  Inbox,
  KnownNames,
  Pairing,
} from "../../../src/chat/index.ts";
import { type Clock, SlashCommands, systemClock } from "../../../src/core/index.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { Roster } from "../../../src/people/roster/index.ts";
import { memoryStore, type HomeStore } from "../../../src/providers/store/index.ts";
import { keepInside } from "../../../src/providers/tools/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { defined } from "../../../src/shared/json/defined.ts";
import { random } from "../../kit/counts.ts";
import { hostWith, type TestHost } from "../../kit/test-host.ts";

/** A platform on which people talk to the process. */
interface ConnectedPlatform {
  readonly platform: ChatPlatform;
  readonly account: Partial<Account> & Pick<Account, "baseUrl" | "secrets">;
  readonly settings?: Partial<ChatSettings>;
}

/** The options of a process with connectors. */
export interface ChatsOptions {
  readonly platforms: readonly ConnectedPlatform[];
  readonly models: Models;
  readonly host?: Partial<HostOptions>;
  readonly clock?: Clock;
  readonly store?: HomeStore;
}

/** The options of a process with one connector. */
export interface ChatProcessOptions extends ConnectedPlatform, Omit<ChatsOptions, "platforms"> {}

/** Connectors on one host, as `agent gateway` has them. */
interface Chats extends AsyncDisposable {
  readonly host: TestHost;
  readonly store: HomeStore;
  readonly reported: HostError[];
  readonly connected: readonly Connected[];
}

/** A connector, and what is beside it. */
interface Connected {
  readonly connector: ChatConnector;
  readonly outbox: Outbox;
  /** The connection's states, in order. */
  readonly states: string[];
}

/** A connector on a host of its own. */
export interface ChatProcess extends Omit<Chats, "connected">, Connected {
  readonly inbox: Inbox;
  readonly pairing: Pairing;
}

/** What the connectors of a process share. */
interface Shared extends Pick<
  ConnectorParts,
  "host" | "records" | "people" | "clock" | "report" | "askApprovers" | "names"
> {}

/** Everybody may talk, nobody may approve. */
const OPEN: ChatSettings = { isOn: true, allow: ["*"], approvers: [], busyMode: "queue" };

/** Starts a connector; it receives when this resolves. */
export async function startChat(options: ChatProcessOptions): Promise<ChatProcess> {
  const { platform, clock = hurriedClock } = options;
  const { connected, ...chats } = await startChats({ ...options, platforms: [options] });
  const [only] = connected;
  if (only === undefined) throw new Error("There is no connector.");
  const { records } = chats.store;
  return {
    ...chats,
    ...only,
    inbox: new Inbox(records, clock, platform.name),
    pairing: new Pairing(records, clock),
  };
}

/** Starts connectors on one host; they receive when this resolves. */
export async function startChats(options: ChatsOptions): Promise<Chats> {
  const { models, platforms, clock = hurriedClock } = options;
  const store = options.store ?? memoryStore({ random: random(1) });
  const host = await hostWith(models, { ...options.host, store });
  const reported: HostError[] = [];
  const shared: Shared = {
    host,
    records: store.records,
    people: new Roster(store.records, host.services),
    clock,
    report: (error) => void reported.push(error),
    askApprovers: async (asked) =>
      void (await Promise.all(connected.map(({ connector }) => connector.showApproval(asked)))),
    names: new KnownNames(),
  };
  const connected: readonly Connected[] = platforms.map((platform) => connect(platform, shared));
  return {
    host,
    store,
    reported,
    connected,
    async [Symbol.asyncDispose]() {
      for (const { connector } of connected) connector.drain();
      for (const { connector, outbox } of connected) {
        await connector.close();
        await outbox[Symbol.asyncDispose]();
      }
      await host.close();
    },
  };
}

function connect({ platform, settings: given, account: some }: ConnectedPlatform, shared: Shared): Connected {
  const { clock } = shared;
  const states: string[] = [];
  const settings = { ...OPEN, ...given };
  const sender: Sender = {
    // As many tries as really, sooner.
    retryMs: [1000, 1000, 2000, 4000, 10_000],
    async send({ id, target, text, file, partsSent, uncertain, createdAt }, signal) {
      const place = { chatId: target.chatId ?? "", ...defined({ threadId: target.threadId }) };
      const late = { id, target: place, text, createdAt, ...defined({ file, partsSent, uncertain }) };
      await connector.deliver(late, signal);
    },
  };
  const outbox = new Outbox({ ...shared, senders: () => sender });
  const account: Account = { mode: platform.mode, extra: {}, ...some };
  const connector: ChatConnector = new ChatConnector({
    ...shared,
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
    commands: new SlashCommands(),
    settings: () => settings,
    refresh: () => Promise.resolve(settings),
    keepFile: (path, reach, get) => keepInside(path, reach, { platform: process.platform, get }),
    stopProcesses: () => Promise.resolve(0),
    ...wayByOutbox(platform, () => outbox),
    changed: (state) => void states.push(state),
  });
  connector.start();
  outbox.start();
  return { connector, outbox, states };
}
