import { type Clock, systemClock } from "./clock.ts";
import { defined } from "./defined.ts";
import type { HostError } from "./errors.ts";
import type { DurableEvent, GivenMessage, Row, SettingsPatch } from "./events.ts";
import { randomHex, type RandomHex } from "./ids.ts";
import type { Models } from "./model.ts";
import type { Platform } from "./origin.ts";
import { DEFAULT_POLICY, type Policy } from "./policy.ts";
import { createRedactor } from "./redact.ts";
import type { Services, SystemPrompt } from "./services.ts";
import type { DeadHost, Store } from "./store.ts";
import { basicSystemPrompt } from "./system-prompt.ts";
import type { Toolset } from "./tool.ts";

/** What a host is made of. What may change while it runs can be given as a function. */
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
  readonly lingerMs?: number;
}

/** How a session is made. */
export interface OpenOptions {
  /** An id of the caller's choice; the host makes one by default. */
  readonly id?: string;
  readonly platform?: Platform;
  /** The surface's name in lists; the platform's by default. */
  readonly source?: string;
  /** Absolute path of the workspace. */
  readonly cwd?: string;
  /** Absolute paths that tools may reach; the workspace by default. */
  readonly roots?: readonly string[];
  readonly title?: string;
  readonly parentId?: string;
  /** How far below a person's session it is, for a subagent's. */
  readonly depth?: number;
  /** Patterns that need no approval in it. */
  readonly allowed?: readonly string[];
  /** Left out of lists. */
  readonly hidden?: boolean;
  readonly settings?: SettingsPatch;
  /** What was said before elsewhere: part of the conversation from the beginning. */
  readonly history?: readonly GivenMessage[];
}

/** How a copy of a session is made. */
export interface BranchOptions {
  /** The next free numbered variant of the source's title by default. */
  readonly title?: string;
  readonly id?: string;
  /** The cursor of the turn's end at which the copy ends; the newest one by default. */
  readonly at?: number;
  /** A session in which nothing was said yet is copied too; refused by default. */
  readonly evenEmpty?: boolean;
  /** As the source by default. */
  readonly hidden?: boolean;
}

/** The first rows of a session. */
export function startEvents(options: OpenOptions, title: string | undefined): readonly DurableEvent[] {
  const platform = options.platform ?? "library";
  const cwd = options.cwd ?? "";
  const start: DurableEvent = {
    type: "session.start",
    platform,
    source: options.source ?? platform,
    cwd,
    roots: options.roots ?? (cwd === "" ? [] : [cwd]),
    ...defined({
      parentId: options.parentId,
      hidden: options.hidden,
      settings: options.settings,
      depth: options.depth,
    }),
  };
  const { history = [], allowed = [] } = options;
  return [
    start,
    ...(title === undefined ? [] : [{ type: "title.set", title, by: "user" } as const]),
    ...(allowed.length === 0 ? [] : [{ type: "approval.pattern", patterns: allowed } as const]),
    ...(history.length === 0 ? [] : [{ type: "history.given", messages: history } as const]),
  ];
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
    redactor: currentRedactor(secrets ?? (() => [])),
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

/** Makes a redactor once per set of secrets: they are looked for in every row. */
function currentRedactor(secrets: () => Iterable<string>): Services["redactor"] {
  let known: readonly string[] = [];
  let redactor = createRedactor(known);
  return () => {
    const now = [...secrets()];
    if (now.length !== known.length || now.some((value, index) => value !== known[index])) {
      known = now;
      redactor = createRedactor(known);
    }
    return redactor;
  };
}
