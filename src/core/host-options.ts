import { type Clock, systemClock } from "../shared/async/clock.ts";
import type { HostError } from "../shared/errors/host-error.ts";
import type { Row } from "./events/events.ts";
import { randomHex, type RandomHex } from "../shared/crypto/random-hex.ts";
import type { Models } from "./ports/model.ts";
import { DEFAULT_POLICY, type Policy } from "./ports/policy.ts";
import { redactorOf } from "../shared/text/redact.ts";
import type { Services, SystemPrompt } from "./ports/services.ts";
import type { DeadHost, Store } from "./ports/store.ts";
import { basicSystemPrompt } from "./conversation/system-prompt.ts";
import type { Toolset } from "./ports/tool.ts";

/** The parts of a host. Those that may change while it runs can be given as functions. */
export interface HostOptions {
  /** Stays the caller's: a host does not close it. */
  readonly store: Store;
  readonly models: Models | (() => Models);
  readonly toolsets?: readonly Toolset[] | (() => readonly Toolset[]);
  readonly policy?: Policy | (() => Policy);
  readonly systemPrompt?: SystemPrompt;
  /** Values that must not appear in any log or answer. */
  readonly secrets?: () => Iterable<string>;
  /** Keeps approval patterns for ever. Without it they last as long as the session. */
  readonly rememberPatterns?: (patterns: readonly string[]) => Promise<void>;
  /** Repairs JSON that a model wrote; throws when it cannot. */
  readonly repairJson?: (text: string) => string;
  /** Kills what a dead host left running. */
  readonly reap?: (host: DeadHost) => Promise<void>;
  /** Told of failures that reach no caller. */
  readonly report?: (error: HostError) => void;
  /** Told of each row that this process has committed, for counting and the like; it must be quick and not throw. */
  readonly observe?: (session: string, row: Row) => void;
  readonly clock?: Clock;
  readonly hex?: RandomHex;
  readonly random?: () => number;
  /**
   * This process stays: it runs all that is queued in its sessions, also what other processes queued, dead or alive.
   * True by default; otherwise it leaves the queue to others once nobody here waits for any of it.
   */
  readonly resident?: boolean;
  /**
   * Milliseconds that a session stays with this process after a turn: the next one then begins without waiting for
   * the store. Others ask this process meanwhile. 2,000 by default, 0 for a process that does not stay.
   */
  readonly keepLeaseMs?: number;
}

/** The options as the core's parts use them. */
export function servicesOf(options: HostOptions): Services {
  const { models, toolsets = [], policy = DEFAULT_POLICY, secrets } = options;
  return {
    store: options.store,
    clock: options.clock ?? systemClock,
    models: typeof models === "function" ? models : () => models,
    toolsets: typeof toolsets === "function" ? toolsets : () => toolsets,
    policy: typeof policy === "function" ? policy : () => policy,
    redactor: redactorOf(secrets ?? (() => [])),
    systemPrompt: options.systemPrompt ?? basicSystemPrompt,
    rememberPatterns: options.rememberPatterns ?? (() => Promise.resolve()),
    repairJson: options.repairJson ?? ((text) => text),
    reap: options.reap ?? (() => Promise.resolve()),
    report: options.report ?? (() => undefined),
    observe: options.observe ?? (() => undefined),
    hex: options.hex ?? randomHex,
    random: options.random ?? Math.random,
  };
}
