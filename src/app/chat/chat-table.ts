import type { Sender } from "../../automation/delivery/index.ts";
import { CHAT_PLATFORMS, type ChatConnector } from "../../chat/index.ts";
import { canonicalJson } from "../../shared/json/json.ts";
import { type ConfiguredChat, reasonOff } from "./chat-account.ts";

/** The makers of what a platform needs in this process. */
export interface ChatMakers {
  /** `undefined` for a platform that has no account. */
  readonly connector: (chat: ConfiguredChat) => ChatConnector | undefined;
  readonly sender: (
    connector: ChatConnector | undefined,
    about: { readonly name: string; readonly home: string | undefined; readonly why: string },
  ) => Sender;
}

/** The chat platforms as this process goes by them: their connectors, their senders, and why some stay off. */
export class ChatTable {
  readonly connectors = new Map<string, ChatConnector>();
  readonly off = new Map<string, string>();
  readonly senders = new Map<string, Sender>();
  readonly #receiving = new Map<string, ChatConnector>();
  /** Those that only send, too. */
  readonly #made = new Map<string, ChatConnector>();
  /** What each platform was taken over with. */
  readonly #marks = new Map<string, string>();
  readonly #makers: ChatMakers;

  constructor(makers: ChatMakers) {
    this.#makers = makers;
  }

  /** The connectors of platforms on which people can write. */
  get receiving(): readonly ChatConnector[] {
    return [...this.#receiving.values()];
  }

  /** The platforms that are configured otherwise than they were taken over, or not at all any more. */
  changedIn(chats: readonly ConfiguredChat[]): readonly string[] {
    const marks = new Map(chats.map((chat) => [chat.platform.name, markOf(chat)]));
    const names = new Set([...marks.keys(), ...this.#marks.keys()]);
    return [...names].filter((name) => marks.get(name) !== this.#marks.get(name));
  }

  /** Forgets a platform; gives its connector, which is to be closed. */
  remove(name: string): ChatConnector | undefined {
    const made = this.#made.get(name);
    this.#made.delete(name);
    for (const map of [this.connectors, this.off, this.#receiving, this.#marks]) map.delete(name);
    for (const each of CHAT_PLATFORMS)
      if (each.name === name) for (const key of [each.name, each.kind]) this.senders.delete(key);
    return made;
  }

  /** Goes by a platform as it is configured. */
  add(chat: ConfiguredChat): void {
    const { platform, block, extra } = chat;
    const { kind, name } = platform;
    const connector = this.#makers.connector(chat);
    if (connector !== undefined) this.#made.set(name, connector);
    const missing = reasonOff(chat);
    if (missing !== undefined) this.off.set(name, missing);
    else if (connector !== undefined) this.connectors.set(name, connector);
    if (missing === undefined && connector !== undefined && extra.receive !== false)
      this.#receiving.set(name, connector);
    const why = this.off.get(name) ?? "";
    const sender = this.#makers.sender(connector, { name, home: block.home_channel, why });
    for (const each of [kind, name]) this.senders.set(each, sender);
    this.#marks.set(name, markOf(chat));
  }
}

/** All of a platform's settings that a connection is made with; the others are looked up when they are needed. */
function markOf({ account, block, extra, oneWay }: ConfiguredChat): string {
  const { allow: _allow, approvers: _approvers, approvals: _approvals, ...kept } = extra;
  const { workspace: _workspace, toolsets: _toolsets, ...made } = kept;
  return canonicalJson([{ ...account, extra: made }, block.home_channel ?? null, oneWay ?? null]);
}
