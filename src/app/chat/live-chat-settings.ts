import type { ChatSettings } from "../../chat/index.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import type { AppSettings } from "../config/settings.ts";
import { configuredChats } from "./chat-account.ts";

/** The owner's settings of one platform. While what is in the file is not valid, what held before holds on. */
export class LiveChatSettings {
  readonly #live: Pick<LiveSettings, "current" | "refresh">;
  readonly #name: string;
  readonly #report: (error: HostError) => void;
  #source: AppSettings;
  #settings: ChatSettings;
  #reported = "";

  /** @throws HostError `config_invalid` */
  constructor(
    live: Pick<LiveSettings, "current" | "refresh">,
    name: string,
    report: (error: HostError) => void,
  ) {
    this.#live = live;
    this.#name = name;
    this.#report = report;
    this.#source = live.current;
    this.#settings = chatSettings(live.current, name);
  }

  /** The settings as this process knows them. */
  get current(): ChatSettings {
    const { current } = this.#live;
    if (current === this.#source) return this.#settings;
    this.#source = current;
    try {
      this.#settings = chatSettings(current, this.#name);
    } catch (thrown) {
      this.#tell(thrown);
    }
    return this.#settings;
  }

  /** Looks whether the file has changed, and gives them as they are there. */
  async refresh(): Promise<ChatSettings> {
    await this.#live.refresh().catch((thrown: unknown) => this.#tell(thrown));
    return this.current;
  }

  /** Says the same once. */
  #tell(thrown: unknown): void {
    const error = toHostError(thrown);
    if (error.message !== this.#reported) this.#report(error);
    this.#reported = error.message;
  }
}

function chatSettings(source: AppSettings, name: string): ChatSettings {
  const found = configuredChats(source).find(({ platform }) => platform.name === name);
  const { allow = [], approvers = [], approvals, workspace, receive = true } = found?.extra ?? {};
  const busyMode = source.blocks.display?.busy_input_mode ?? "queue";
  const isOn = found !== undefined && receive;
  return { isOn, allow, approvers, busyMode, ...defined({ approvals, workspace }) };
}
