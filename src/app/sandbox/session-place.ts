import {
  checkHost,
  type CommandSite,
  type RefusedHost,
  type Sandbox,
  type SandboxAbsence,
  type SandboxFindings,
} from "../../providers/tools/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostQuestions } from "./host-questions.ts";

/** The sandbox of a session, or why there is none. */
export type OpenedHere = { readonly available: true; readonly sandbox: Sandbox } | SandboxAbsence;

/** Milliseconds after its last command when the sandbox of a session is closed; no command in front runs longer. */
const IDLE_MS = 2 * 3_600_000;
const MOST_NOTED = 100;

/** The place where the commands of one session run, and what is known of them. */
export class SessionPlace {
  readonly questions = new HostQuestions();
  /** Hosts that are allowed for the session. */
  readonly hosts = new Set<string>();
  /** All that were opened: what runs in the background may still use an older one. */
  readonly sandboxes: Sandbox[] = [];
  obeyed: readonly string[] = [];
  /** What was taken back of what commands left behind. */
  disarmed: readonly string[] = [];
  /** What was decided last. */
  last: CommandSite | undefined;
  isOff = false;
  isTold = false;
  isLasting = false;
  form = "";
  opened: Promise<OpenedHere> | undefined;
  #cancelIdle: () => void = () => undefined;

  get refusedHosts(): readonly RefusedHost[] {
    return this.sandboxes.flatMap(({ refusedHosts }) => refusedHosts);
  }

  /** @throws HostError `config_invalid` for what is no host */
  allow(entry: string): void {
    // Before a sandbox is open, nothing else would look at it until the next command.
    checkHost(entry);
    for (const { hosts } of this.sandboxes) hosts.add(entry);
    this.hosts.add(entry);
  }

  /** @throws HostError `config_invalid` for what is no host */
  forbid(entry: string): void {
    checkHost(entry);
    for (const { hosts } of this.sandboxes) hosts.remove(entry);
    this.hosts.delete(entry);
  }

  note({ obeyed, disarmed }: SandboxFindings): void {
    const newest = (all: readonly string[]): readonly string[] => [...new Set(all)].slice(-MOST_NOTED);
    this.obeyed = newest([...this.obeyed, ...obeyed]);
    this.disarmed = newest([...this.disarmed, ...disarmed.map(({ path, what }) => `${path}: ${what}`)]);
  }

  touch(idle: () => void, clock: Clock): void {
    this.#cancelIdle();
    this.#cancelIdle = clock.after(IDLE_MS, idle);
  }

  async close(): Promise<void> {
    this.#cancelIdle();
    await this.opened?.catch(() => undefined);
    await Promise.all(this.sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]()));
  }
}
