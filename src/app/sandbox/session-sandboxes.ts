import { homedir, tmpdir } from "node:os";
import { canonicalJson } from "../../shared/json/json.ts";
import type {
  CallAsker,
  CommandSite,
  CommandSites,
  SandboxFindings,
  SandboxPolicy,
  SandboxStatus,
} from "../../providers/tools/index.ts";
import { agentFolders } from "../config/home.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { terminalSettings, type TerminalSettings } from "../config/terminal.ts";
import { type EngineParts, loadSandbox, removeDeadContainers, SandboxProbes } from "./engine.ts";
import type { HostQuestions } from "./host-questions.ts";
import type { SandboxView } from "./sandbox-view.ts";
import { isOfOthers } from "./others.ts";
import { type OpenedHere, SessionPlace } from "./session-place.ts";

/** The parts with which the sandboxes of a process are made. */
export interface SandboxParts extends EngineParts {
  readonly live: LiveSettings;
  /** Whether a command of the session runs in the background. */
  readonly isBusy: (session: string) => boolean;
}

type CommandSession = Parameters<CommandSites["siteOf"]>[0];

/** What a person waits for at the start comes first. */
const PROOF_DELAY_MS = 1000;
/** Milliseconds between two sandboxes that are opened ahead. */
const PREPARE_APART_MS = 1000;

/** The sandboxes of this process, one a session, opened at its first command; the one place that decides where commands run. */
export class SessionSandboxes implements CommandSites, AsyncDisposable {
  readonly #parts: SandboxParts;
  readonly #sessions = new Map<string, SessionPlace>();
  readonly #stop: () => void;
  readonly #probes = new SandboxProbes();
  #hosts: readonly string[];
  #isPreparing = false;
  #preparedAt = Number.NEGATIVE_INFINITY;
  #cancelProof: () => void = () => undefined;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.#hosts = this.settings.hosts;
    this.#stop = parts.live.subscribe(() => this.#settingsChanged());
  }

  get settings(): TerminalSettings {
    return terminalSettings(this.#parts.live.current);
  }

  /** The settings as their file is now; one that cannot be read leaves what held before. */
  async currentSettings(): Promise<TerminalSettings> {
    await this.#parts.live.refresh().catch(() => undefined);
    return this.settings;
  }

  /**
   * What this machine has, and whether it holds: escapes are tried at the first call, and for other settings again, unless a
   * process of the last day has tried the same.
   *
   * @param anew - they are tried in any case
   */
  async status({ anew = false }: { readonly anew?: boolean } = {}): Promise<SandboxStatus> {
    const probe = await this.#probes.probeFor(this.settings, this.#parts);
    const status = await (anew ? probe.prove(this.#policy()) : probe.status(this.#policy()));
    // People get an image, or start an engine, without a word to the agent.
    if (!status.available && this.settings.backend === "container") probe.forget();
    return status;
  }

  /**
   * Tries the escapes soon after the start, so that the first command need not wait and a wall with a hole is known.
   *
   * @param proved - called when that is over
   */
  proveSoon(proved: () => void = () => undefined): void {
    this.#cancelProof = this.#parts.clock.after(PROOF_DELAY_MS, () => {
      if (this.settings.backend === "local") return;
      // What is wrong is told when a command is to run.
      this.status()
        .catch(() => undefined)
        .finally(proved);
    });
  }

  async siteOf(session: CommandSession): Promise<CommandSite> {
    await this.currentSettings();
    const place = this.#placeOf(session.id);
    place.touch(() => this.#closeIdle(session.id), this.#parts.clock);
    const site = await this.#decide(session, place);
    place.last = site;
    if (site.place !== "outside" || site.why === undefined) return site;
    if (place.isTold) return { place: "outside" };
    place.isTold = true;
    return site;
  }

  async #decide(session: CommandSession, place: SessionPlace): Promise<CommandSite> {
    const { backend, unsafe } = this.settings;
    const mayBeOutside = unsafe || !isOfOthers(session.platform);
    if (place.isOff && mayBeOutside) return { place: "outside" };
    if (backend === "local")
      return mayBeOutside ? { place: "outside" } : { place: "refused", reason: UNWATCHED };
    const opened = await this.#open(session, place);
    if ("sandbox" in opened) return { place: "inside", sandbox: opened.sandbox };
    const why = `${opened.reason} ${opened.advice}`;
    if (backend === "sandbox" || backend === "container")
      return {
        place: "refused",
        reason: `terminal.backend is ${backend}, and there is none here: ${why} With terminal.backend: auto, commands are asked about instead.`,
      };
    if (!mayBeOutside) return { place: "refused", reason: `${UNWATCHED} ${why}` };
    return { place: "outside", why };
  }

  /** The sandbox of a session, whatever backend its commands have. */
  openFor(session: CommandSession): Promise<OpenedHere> {
    return this.#open(session, this.#placeOf(session.id));
  }

  /** The sandbox of a program that goes on without commands; it is closed with this process. */
  openLasting(session: CommandSession): Promise<OpenedHere> {
    const place = this.#placeOf(session.id);
    place.isLasting = true;
    return this.#open(session, place);
  }

  /** What people see of the place where a session's commands run. */
  async view(session: CommandSession): Promise<SandboxView> {
    const place = this.#placeOf(session.id);
    const site = await this.#decide(session, place);
    const { hosts, readable } = this.settings;
    return {
      commands: site.place,
      why: site.place === "refused" ? site.reason : site.place === "outside" ? (site.why ?? "") : "",
      roots: session.roots,
      hosts: site.place === "inside" ? site.sandbox.hosts.entries : hosts,
      sessionHosts: [...place.hosts],
      readable,
      refusedHosts: place.refusedHosts,
      obeyed: place.obeyed,
      disarmed: place.disarmed,
      gaps: site.place === "inside" ? site.sandbox.gaps : [],
    };
  }

  /** Lets the commands of a session reach a host. @throws HostError `config_invalid` for what is no host */
  allow(session: string, host: string): void {
    this.#placeOf(session).allow(host);
  }

  /** Takes a host away from the commands of a session. */
  forbid(session: string, host: string): void {
    this.#placeOf(session).forbid(host);
  }

  /** Lets the commands of a session run outside, or inside again. */
  switchOff(session: string, isOff: boolean): void {
    this.#placeOf(session).isOff = isOff;
  }

  /**
   * Opens what a session's first command will need, while nobody waits for it yet. One a second: of many sessions that
   * begin at once, all would wait for what most of them do not need, and these open theirs when a command is to run.
   */
  async prepare(session: CommandSession): Promise<void> {
    const now = this.#parts.clock.monotonic();
    if (this.#isPreparing || now - this.#preparedAt < PREPARE_APART_MS) return;
    this.#isPreparing = true;
    this.#preparedAt = now;
    try {
      const place = this.#placeOf(session.id);
      place.last = await this.#decide(session, place);
    } finally {
      this.#isPreparing = false;
    }
  }

  /** Where a session's commands ran last, or will run; `undefined` before anybody has looked. */
  known(session: string): CommandSite | undefined {
    return this.#sessions.get(session)?.last;
  }

  note(session: string, findings: SandboxFindings): void {
    this.#placeOf(session).note(findings);
  }

  obeyed(session: string): readonly string[] {
    return this.#sessions.get(session)?.obeyed ?? [];
  }

  /** Removes what a dead host left behind of its containers. */
  removeContainersOf(hostId: string): Promise<void> {
    return removeDeadContainers(hostId, this.settings, this.#parts);
  }

  asking(session: string, asker: CallAsker): Disposable {
    return this.#placeOf(session).questions.add(asker);
  }

  async close(session: string): Promise<void> {
    const place = this.#sessions.get(session);
    this.#sessions.delete(session);
    await place?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    this.#cancelProof();
    const places = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(places.map((place) => place.close()));
    await this.#probes[Symbol.asyncDispose]();
  }

  #placeOf(session: string): SessionPlace {
    let place = this.#sessions.get(session);
    if (place === undefined) {
      place = new SessionPlace();
      this.#sessions.set(session, place);
    }
    return place;
  }

  /** The sandbox of a session for its folders and the settings as they are now. */
  async #open(session: CommandSession, place: SessionPlace): Promise<OpenedHere> {
    const { readable, limits, backend, container } = this.settings;
    const form = canonicalJson([session.roots, readable, limits, backend, container]);
    if (place.form !== form) {
      place.form = form;
      place.opened = this.#openAnew(session, place);
    }
    place.touch(() => this.#closeIdle(session.id), this.#parts.clock);
    return await (place.opened ?? this.#openAnew(session, place));
  }

  async #openAnew({ roots }: CommandSession, place: SessionPlace): Promise<OpenedHere> {
    const { machine, clock } = this.#parts;
    const status = await this.status();
    if (!status.available) {
      if (this.settings.backend === "container") place.form = "";
      return status;
    }
    const { openSandbox } = await loadSandbox();
    const policy = {
      ...this.#policy(roots),
      hosts: [...new Set([...this.settings.hosts, ...place.hosts])],
      onUnlisted: (target: Parameters<HostQuestions["ask"]>[0]) =>
        place.questions.ask(target, (entry) => place.allow(entry)),
    };
    const opened = await openSandbox(status.engine, policy, { machine, clock }).catch(
      async (thrown: unknown) => {
        // Something has changed since the walls were tried: the next command looks, and tries, again.
        place.form = "";
        (await this.#probes.probeFor(this.settings, this.#parts)).forget();
        throw thrown;
      },
    );
    if (opened.available) place.sandboxes.push(opened.sandbox);
    else if (status.engine.kind === "container") place.form = "";
    return opened;
  }

  /** The walls by the settings as they are now. */
  #policy(roots: readonly string[] = []): SandboxPolicy {
    const { live, machine } = this.#parts;
    const { paths, env } = live.current;
    const { readable, limits } = this.settings;
    const home = machine.env["HOME"] ?? homedir();
    return { roots, apart: agentFolders(paths, env), home, tempDir: tmpdir(), readable, limits };
  }

  #closeIdle(session: string): void {
    if (this.#parts.isBusy(session) || this.#sessions.get(session)?.isLasting === true) return;
    void this.close(session);
  }

  /** Hosts take effect in what is open; what else has changed counts from the next command on. */
  #settingsChanged(): void {
    const { hosts } = this.settings;
    const gone = this.#hosts.filter((host) => !hosts.includes(host));
    const fresh = hosts.filter((host) => !this.#hosts.includes(host));
    this.#hosts = hosts;
    for (const place of this.#sessions.values()) {
      for (const host of gone) if (!place.hosts.has(host)) place.forbid(host);
      for (const sandbox of place.sandboxes) for (const host of fresh) sandbox.hosts.add(host);
    }
  }
}

const UNWATCHED =
  "Commands of a session that strangers start run in a sandbox only. The owner can allow them without one: terminal.unsafe: true.";
