import type { Checkpoints } from "./checkpoints.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { Row } from "../events/events.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import type { Machines } from "./machines.ts";
import type { Models, ToolSpec } from "./model.ts";
import type { Peers } from "./peers.ts";
import type { PeopleBudgets } from "./people-budgets.ts";
import type { Personas } from "./persona.ts";
import type { Policy } from "./policy.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import type { SessionState } from "../state/state.ts";
import type { DeadHost, Store } from "./store.ts";
import type { Toolset } from "./tool.ts";

/** A maker of a session's system prompt. The same arguments must give the same bytes: provider caches depend on it. */
export type SystemPrompt = (session: {
  readonly id: string;
  readonly state: SessionState;
  readonly tools: readonly ToolSpec[];
  /** The toolsets that the tools come from; the same list as long as nothing about them changed. */
  readonly toolsets: readonly Toolset[];
}) => string | Promise<string>;

/** The outside of the core, as its parts get it. Whatever may change while the host runs is a function. */
export interface Services {
  readonly store: Store;
  readonly clock: Clock;
  readonly models: () => Models;
  readonly toolsets: () => readonly Toolset[];
  readonly policy: () => Policy;
  readonly redactor: () => Redactor;
  readonly systemPrompt: SystemPrompt;
  /** Keeps approval patterns for ever, in the owner's configuration. Without it they last as long as the session. */
  readonly rememberPatterns: (patterns: readonly string[]) => Promise<void>;
  /** Repairs JSON that a model wrote; throws when it cannot. */
  readonly repairJson: (text: string) => string;
  /** Kills what a dead host left running. */
  readonly reap: (host: DeadHost) => Promise<void>;
  /** Ends what runs beside the turns: the host closes. No turn runs any more, and what ends now can still be noted. */
  readonly closing: () => Promise<void>;
  /** Told of failures that reach no caller. */
  readonly report: (error: HostError) => void;
  /** Told of each row that this process has committed, for counting and the like; it must be quick and not throw. */
  readonly observe: (session: string, row: Row) => void;
  /** Keeps files before calls change them; absent where nobody wants that. */
  readonly checkpoints?: Checkpoints;
  /** Chooses the persona of each turn; without it there are none. */
  readonly personas?: Personas;
  /** Asked before each model call; without it people have no budgets. */
  readonly peopleBudgets?: PeopleBudgets;
  /** Absent where hosts meet in the store alone. */
  readonly peers?: Peers;
  /** Absent where no machines share the store: then sessions belong to none. */
  readonly machines?: Machines;
  readonly hex: RandomHex;
  /** A number in [0, 1). */
  readonly random: () => number;
}
