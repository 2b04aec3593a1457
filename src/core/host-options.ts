import { systemClock } from "../shared/async/clock.ts";
import { defined } from "../shared/json/defined.ts";
import { randomHex } from "../shared/crypto/random-hex.ts";
import type { Models } from "./ports/model.ts";
import { DEFAULT_POLICY, type Policy } from "./ports/policy.ts";
import { redactorOf } from "../shared/text/redact.ts";
import type { Services, SystemPrompt } from "./ports/services.ts";
import type { Store } from "./ports/store.ts";
import type { Toolset } from "./ports/tool.ts";

/** The parts of a host. Those that may change while it runs can be given as functions. */
export interface HostOptions extends Partial<
  Omit<Services, "store" | "models" | "toolsets" | "policy" | "redactor">
> {
  /** Stays the caller's: a host does not close it. */
  readonly store: Store;
  readonly models: Models | (() => Models);
  readonly toolsets?: readonly Toolset[] | (() => readonly Toolset[]);
  readonly policy?: Policy | (() => Policy);
  /** Values that must not appear in any log or answer. */
  readonly secrets?: () => Iterable<string>;
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
  const { models, toolsets = [], policy = DEFAULT_POLICY, secrets = () => [] } = options;
  return {
    clock: systemClock,
    systemPrompt: basicSystemPrompt,
    rememberPatterns: () => Promise.resolve(),
    repairJson: (text) => text,
    reap: () => Promise.resolve(),
    closing: () => Promise.resolve(),
    report: () => undefined,
    observe: () => undefined,
    hex: randomHex,
    random: Math.random,
    ...defined(options),
    models: typeof models === "function" ? models : () => models,
    toolsets: typeof toolsets === "function" ? toolsets : () => toolsets,
    policy: typeof policy === "function" ? policy : () => policy,
    redactor: redactorOf(secrets),
  };
}

/** The smallest prompt that makes an agent of a model: who it is, where it works, how it uses its tools. */
const basicSystemPrompt: SystemPrompt = ({ state, tools, toolsets }) => {
  const parts = [
    "You are an agent that helps people with their work. Be accurate, brief and honest about what you did.",
  ];
  if (state.cwd !== "") parts.push(`The workspace is ${state.cwd}. Relative paths start there.`);
  if (tools.length > 0) {
    parts.push(
      "Use tools to find out and to act instead of guessing. Say what you did, not what you could do. When a call fails or is denied, do not repeat it unchanged.",
    );
  }
  for (const { guidance } of toolsets) if (guidance !== undefined) parts.push(guidance);
  return parts.join("\n");
};
