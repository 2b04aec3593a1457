import { defined } from "../../shared/json/defined.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { Agent } from "../compose.ts";
import { configuredChats } from "../chat/chat-account.ts";
import { wishedRestarts } from "../chat/restart-connector.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Connector, ConnectorContext, ConnectorKind } from "./connector.ts";
import type { GatewayHealth } from "./gateway-health.ts";
import { noteServer } from "./running-servers.ts";

/** The parts of a registry. */
export interface RegistryParts {
  readonly agent: Agent;
  readonly context: Omit<ConnectorContext, "health" | "look">;
  readonly health: GatewayHealth;
}

/** A connector that runs, and its kind. */
interface Running {
  readonly kind: ConnectorKind;
  readonly connector: Connector;
  readonly noted: AsyncDisposable;
  /** Unix milliseconds. */
  readonly since: number;
}

const LOOK_MS = 2000;

/**
 * The connectors of a process: each can be started and stopped while the others go on. Those that are followed are on and
 * off as the owner's files say, whoever writes there: a page, a command, an editor.
 */
export class ConnectorRegistry implements AsyncDisposable {
  readonly #parts: RegistryParts;
  readonly #running = new Map<string, Running>();
  #followed: readonly ConnectorKind[] = [];
  /** The settings with which a connector could not start: it is not tried with them again. */
  readonly #failed = new Map<string, AppSettings>();
  /** The newest wishes to start anew that were heard. */
  readonly #restarted = new Map<string, number>();
  readonly #since: number;
  #told = "";
  #looking: Promise<void> = Promise.resolve();
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.#since = parts.agent.host.services.clock.now();
  }

  /** What each running connector says of itself. */
  get titles(): readonly string[] {
    return [...this.#running.values()].map(({ connector }) => connector.title);
  }

  /** Starts connectors in their order. @throws whatever the first throws that cannot start */
  async start(kinds: readonly ConnectorKind[]): Promise<void> {
    for (const kind of kinds) await this.#begin(kind);
  }

  /** Starts and stops these as the settings say, from now on. */
  follow(kinds: readonly ConnectorKind[]): void {
    this.#followed = kinds;
    this.#lookLater(0);
  }

  /** Looks at the settings now; resolves when they have taken effect. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  /** From now on nothing is started, and no connector takes new work. */
  async drain(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#looking;
    const { agent, health } = this.#parts;
    for (const { connector, kind } of this.#running.values()) {
      connector.drain();
      health.set(kind, "draining", agent.host.services.clock.now());
    }
  }

  /** Closes all connectors, the last one first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#looking;
    for (const { kind } of [...this.#running.values()].toReversed()) await this.#end(kind);
  }

  #lookLater(ms: number): void {
    if (this.#isOver) return;
    this.#cancel = this.#parts.agent.host.services.clock.after(ms, () => {
      void this.look().finally(() => this.#lookLater(LOOK_MS));
    });
  }

  async #look(): Promise<void> {
    if (this.#isOver) return;
    const { live } = this.#parts.agent;
    try {
      await live.reloadEnvironment();
      await live.refresh();
      await this.#takeOver(live.current, await wishedRestarts(this.#parts.agent.store.records));
      this.#told = "";
    } catch (thrown) {
      this.#tell(thrown);
    }
  }

  /** @throws HostError `config_invalid`; then nothing was stopped or started */
  async #takeOver(settings: AppSettings, wished: ReadonlyMap<string, number>): Promise<void> {
    const { chat } = this.#parts.context.services;
    const chats = configuredChats(settings);
    const wanted = this.#followed.filter((kind) => kind.isEnabled(settings));
    const changed = new Set(chat.changedIn(chats));
    for (const kind of this.#followed)
      if (!wanted.includes(kind) || changed.has(kind.platform) || this.#isToRestart(kind, wished))
        await this.#switchOff(kind);
    await chat.takeOver(chats);
    for (const kind of wanted)
      if (!this.#running.has(kind.platform) && this.#failed.get(kind.platform) !== settings)
        await this.#tryBegin(kind, settings);
  }

  #isToRestart({ platform }: ConnectorKind, wished: ReadonlyMap<string, number>): boolean {
    const at = wished.get(platform) ?? 0;
    const known = this.#running.get(platform)?.since ?? this.#restarted.get(platform) ?? this.#since;
    this.#restarted.set(platform, at);
    return at > known;
  }

  async #switchOff(kind: ConnectorKind): Promise<void> {
    const { platform } = kind;
    this.#failed.delete(platform);
    if (!this.#running.has(platform)) return;
    await this.#end(kind);
    this.#parts.context.log({ event: "connector.stopped", level: "info", platform });
  }

  async #tryBegin(kind: ConnectorKind, settings: AppSettings): Promise<void> {
    try {
      kind.check(settings);
      await this.#begin(kind);
      this.#failed.delete(kind.platform);
      this.#parts.context.log({ event: "connector.started", level: "info", platform: kind.platform });
    } catch (thrown) {
      this.#failed.set(kind.platform, settings);
      this.#tell(thrown);
    }
  }

  async #begin(kind: ConnectorKind): Promise<void> {
    const { agent, context, health } = this.#parts;
    const { clock } = agent.host.services;
    // What is changed while the process runs counts for what starts then.
    const now = { ...agent, settings: agent.live.current };
    const connector = await kind.start(now, { ...context, health, look: () => this.look() });
    const { platform, name: title } = kind;
    const since = clock.now();
    const noted = await noteServer(agent.store.records, { platform, title, since });
    this.#running.set(platform, { kind, connector, noted, since });
    health.set(kind, "connected", clock.now());
  }

  async #end(kind: ConnectorKind): Promise<void> {
    const { platform } = kind;
    const running = this.#running.get(platform);
    if (running === undefined) return;
    const { health } = this.#parts;
    running.connector.drain();
    await running.connector.close();
    await running.noted[Symbol.asyncDispose]();
    this.#running.delete(platform);
    health.forget(kind);
  }

  /** Says the same once. */
  #tell(thrown: unknown): void {
    const { message, details } = toHostError(thrown);
    if (message === this.#told) return;
    this.#told = message;
    this.#parts.context.log({
      event: "connector.refused",
      level: "error",
      message,
      ...defined({ subject: details.subject }),
    });
  }
}
