import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { environmentProxies } from "../../shared/net/proxies.ts";
import type { Delivery, Outbox, Sender, TargetKind } from "../../automation/delivery/index.ts";
import {
  type ChannelState,
  ChatConnector,
  type ConnectorParts,
  type LinkedPeople,
  Inbox,
  KnownNames,
} from "../../chat/index.ts";
import { SlashCommands } from "../../core/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { MESSAGE_RETRY_MS } from "../../providers/delivery/index.ts";
import { keepInside } from "../../providers/tools/index.ts";
import type { Agent } from "../compose.ts";
import type { HomePeople } from "../people/home-people.ts";
import { agentFolders } from "../config/home.ts";
import { type ConfiguredChat, configuredChats } from "./chat-account.ts";
import { ChatTable } from "./chat-table.ts";
import { chatFetch } from "./chat-fetch.ts";
import { openChatSocket } from "./chat-socket.ts";
import { openChatStream } from "./chat-stream.ts";
import { LiveChatSettings } from "./live-chat-settings.ts";
import { wayByOutbox } from "./way-by-outbox.ts";

/** A listener to the connections of chat platforms. */
export type ConnectionListener = (platform: string, state: ChannelState) => void;

/** The chat platforms of a process. Nothing is received before a connector is started. */
export interface ChatServices {
  /** By the platforms' own names: those on which people can write to the agent. */
  readonly connectors: ReadonlyMap<string, ChatConnector>;
  /** Why nobody can write on a platform that is switched on, by its own name; texts may go out all the same. */
  readonly off: ReadonlyMap<string, string>;
  /** By kind of target, under both names of each platform. */
  readonly senders: ReadonlyMap<string, Sender>;
  /** The platforms that are configured otherwise than this process goes by them. */
  changedIn(chats: readonly ConfiguredChat[]): readonly string[];
  /** Goes by what is configured now. The connectors of platforms that changed must be closed. */
  takeOver(chats: readonly ConfiguredChat[]): Promise<void>;
  /** Calls back at each change of a connection, until the returned function is called. */
  subscribe(listener: ConnectionListener): () => void;
  /** Notes at its message that an answer could not be delivered by the outbox either. */
  noteDelivery(delivery: Delivery): Promise<void>;
}

/** The parts of the process that chats use. */
export interface ChatServiceParts {
  readonly log?: ServerLog | undefined;
  readonly outbox: () => Outbox;
}

/** @throws HostError `config_invalid` */
export function chatServices(agent: Agent, parts: ChatServiceParts): ChatServices {
  const listeners = new Set<ConnectionListener>();
  const told: ToldParts = {
    ...parts,
    names: new KnownNames(),
    askApprovers: async (asked) =>
      void (await Promise.all(table.receiving.map((connector) => connector.showApproval(asked)))),
    changed: (...change: Parameters<ConnectionListener>) => listeners.forEach((each) => each(...change)),
  };
  const table: ChatTable = new ChatTable({
    connector: ({ account, ...chat }) =>
      "missing" in account ? undefined : connectorOf(agent, { ...chat, account }, told),
    sender: senderOf,
  });
  for (const chat of configuredChats(agent.settings)) table.add(chat);
  const { connectors, off, senders } = table;
  return {
    connectors,
    off,
    senders,
    changedIn: (chats) => table.changedIn(chats),
    takeOver: (chats) => takeOver(table, chats),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async noteDelivery({ source, status, error = "not delivered" }) {
      if (source.kind !== "chat" || status !== "failed") return;
      const [platform = ""] = source.id.split("-");
      const inbox = new Inbox(agent.store.records, agent.host.services.clock, platform);
      await inbox.change(source.id, (entry) => ({ ...entry, status: "failed", error }), { repeatsMs: 0 });
    },
  };
}

/** Goes by what is configured now; a connector that was only used to send is closed. */
async function takeOver(table: ChatTable, chats: readonly ConfiguredChat[]): Promise<void> {
  for (const name of table.changedIn(chats)) {
    await table.remove(name)?.close();
    const chat = chats.find(({ platform }) => platform.name === name);
    if (chat !== undefined) table.add(chat);
  }
}

/** The parts that the connectors of a process share. */
interface ToldParts extends ChatServiceParts, Pick<ConnectorParts, "askApprovers" | "names"> {
  readonly changed: ConnectionListener;
}

function connectorOf(
  agent: Agent,
  { platform, account }: ConfiguredChat & { readonly account: { readonly baseUrl: string } },
  { log, outbox, changed, askApprovers, names }: ToldParts,
): ChatConnector {
  const { host, store, live, settings, commands, people } = agent;
  const { clock, report } = host.services;
  const { name, title } = platform;
  const chatSettings = new LiveChatSettings(live, name, report);
  return new ChatConnector({
    platform,
    // Of a platform without its secrets there is no connector.
    account: account as ConstructorParameters<typeof ChatConnector>[0]["account"],
    ports: {
      fetch: chatFetch(account.baseUrl, { clock, proxies: environmentProxies(settings.env) }),
      socket: openChatSocket,
      connect: openChatStream,
      clock,
    },
    host,
    records: store.records,
    people: linkedPeople(people),
    clock,
    commands: new SlashCommands(commands),
    settings: () => chatSettings.current,
    refresh: () => chatSettings.refresh(),
    keepFile: (path, { cwd, roots }, get) => {
      const apart = agentFolders(settings.paths, settings.env);
      return keepInside(path, { cwd, roots, apart }, { platform: process.platform, get });
    },
    stopProcesses: (sessionId) => agent.stopProcesses(sessionId),
    ...wayByOutbox(platform, outbox),
    askApprovers,
    names,
    report,
    changed(state, error) {
      changed(name, state);
      log?.({
        event: "chat.connection",
        level: state === "retrying" ? "warn" : "info",
        platform: name,
        title,
        state,
        ...defined({ error: error?.message }),
      });
    },
  });
}

const linkedPeople = ({ roster, owner }: HomePeople): LinkedPeople => ({
  async byIdentity(identity) {
    const user = await roster.byIdentity(identity);
    return user && { ...user, isOwner: owner.is(user) };
  },
  noteSeen: (user) => roster.noteSeen(user),
});

/** Sends what the outbox holds for a platform. */
function senderOf(
  connector: ChatConnector | undefined,
  { name, home, why }: { readonly name: string; readonly home: string | undefined; readonly why: string },
): Sender {
  return {
    retryMs: MESSAGE_RETRY_MS,
    async send({ id, target, text, subject, file, partsSent, uncertain, createdAt }, signal) {
      if (connector === undefined) throw new HostError("config_invalid", `${name} is off: ${why}`);
      const chatId = target.chatId ?? home;
      if (chatId === undefined)
        throw new HostError(
          "config_invalid",
          `${name} has no home: set platforms.${name}.home_channel, or name a chat as ${name}:<chat>.`,
        );
      const place = { chatId, ...defined({ threadId: target.threadId }) };
      const late = {
        id,
        target: place,
        text,
        createdAt,
        ...defined({ subject, file, partsSent, uncertain }),
      };
      await connector.deliver(late, signal);
    },
  };
}

/** The places of the chat platforms that are switched on, as targets. @throws HostError `config_invalid` */
export function chatTargets(settings: Agent["settings"]): readonly {
  readonly names: readonly [string, string];
  readonly home: string | undefined;
  readonly place: TargetKind;
}[] {
  return configuredChats(settings).map(
    ({ platform: { kind, name, capabilities }, block: { home_channel: home } }) => ({
      names: [kind, name],
      home,
      place: { chat: home === undefined ? "named" : "home", threads: capabilities.threads, needs: [] },
    }),
  );
}
