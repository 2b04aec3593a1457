import type { Host, Records, SlashCommands } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { ApprovalCards } from "../approvals/approval-cards.ts";
import { Access } from "../access/allow-list.ts";
import { Inbox } from "../inbox/inbox.ts";
import { Places } from "../places/places.ts";
import type { Channel } from "../port/channel.ts";
import type { Account, ChannelPorts, ChatPlatform } from "../port/platform.ts";
import type { KnownNames } from "../turns/known-names.ts";
import type { ChannelState } from "./connection.ts";
import { SendBudget } from "../sending/budget.ts";
import { ClosedChats } from "../sending/closed-chats.ts";
import { MessageSender } from "../sending/message-sender.ts";
import type { ChatParts, ChatSettings } from "../turns/chat-parts.ts";
import { ChatWorker } from "../turns/chat-worker.ts";
import { promptFiles } from "../turns/prompt-files.ts";
import { RecordedNotes } from "./recorded-notes.ts";
import { guardedChannel, guardedRecords, RoleGuard } from "./role-guard.ts";

/** The parts of a connector: one account on one platform. */
export interface ConnectorParts {
  readonly platform: ChatPlatform;
  readonly account: Account;
  readonly ports: Pick<ChannelPorts, "fetch" | "socket" | "connect" | "clock">;
  readonly host: Host;
  readonly records: Records;
  readonly people: ChatParts["people"];
  readonly clock: Clock;
  readonly commands: SlashCommands;
  readonly settings: () => ChatSettings;
  /** Gives them as they are in the owner's file at this moment. */
  readonly refresh: () => Promise<ChatSettings>;
  readonly keepFile: ChatParts["keepFile"];
  readonly stopProcesses: ChatParts["stopProcesses"];
  readonly sendLater: ChatParts["sendLater"];
  readonly isHeldUp: ChatParts["isHeldUp"];
  readonly askApprovers: ChatParts["askApprovers"];
  /** Shared by the connectors of a process. */
  readonly names: KnownNames;
  readonly report: (error: HostError) => void;
  /** Told of each change of the connection, for the log. */
  readonly changed: (state: ChannelState, error?: HostError) => void;
}

/** The parts of a connector that are open once something goes in or out. */
export interface Opened {
  /** Its account, whoever has the role. */
  readonly channel: Channel;
  readonly guard: RoleGuard;
  /** What is done with them is done as the host that is connected, as far as there is one here. */
  readonly parts: ChatParts;
  readonly worker: ChatWorker;
  readonly access: Access;
}

/** Opens the way to a platform, and what works with it. Nothing is received yet. */
export async function openConnector({ account, ports, ...shared }: ConnectorParts): Promise<Opened> {
  const { platform, clock, host } = shared;
  const guard = new RoleGuard();
  const records = guardedRecords(shared.records, guard);
  const notes = new RecordedNotes(records, platform.name);
  const { random } = host.services;
  const channel = await platform.open(account, { ...ports, random, notes, report: shared.report });
  const closed = new ClosedChats(shared.records, platform.name);
  const budget = new SendBudget({
    clock,
    limits: platform.limits,
    closed: await closed.all(),
    noteClosed: (chatId, until) => closed.note(chatId, until),
  });
  const capabilities = { ...platform.capabilities, ...channel.capabilities };
  const sending = {
    platform: { ...platform, capabilities },
    channel: guardedChannel(channel, guard),
    budget,
    clock,
  };
  const settings = (): ChatSettings => settingsAs(shared.settings(), channel);
  const parts: ChatParts = {
    ...shared,
    ...sending,
    settings,
    inbox: new Inbox(records, clock, platform.name),
    places: new Places(records, platform.name),
    sender: new MessageSender(sending),
    cards: new ApprovalCards(records, clock, platform.name),
    sendLater: async (late) => {
      guard.check();
      await shared.sendLater(late);
    },
  };
  const filesOf = promptFiles(parts);
  const access = new Access(shared, platform.name, () => settings().allow);
  return { channel, guard, parts, worker: new ChatWorker({ parts, filesOf }), access };
}

/** Settings that name chats as the host knows them. */
function settingsAs({ allow, approvals, ...settings }: ChatSettings, channel: Channel): ChatSettings {
  const known = (chatId: string): string => channel.knownAs?.(chatId) ?? chatId;
  const ofChannel = "channel:";
  return {
    ...settings,
    allow: allow.map((entry) =>
      entry.startsWith(ofChannel) ? ofChannel + known(entry.slice(ofChannel.length)) : known(entry),
    ),
    ...defined({ approvals: approvals === undefined ? undefined : known(approvals) }),
  };
}
