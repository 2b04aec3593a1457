import type { SessionMode } from "../events/events.ts";
import type { Policy } from "../ports/policy.ts";
import type { Settings } from "../state/state.ts";

/** The modes, in the order in which clients go round. */
export const SESSION_MODES: readonly SessionMode[] = ["ask", "edits", "plan", "all"];

/** Words about each mode for people. */
export const MODE_WORDS: Readonly<
  Record<SessionMode, { readonly name: string; readonly description: string }>
> = {
  ask: { name: "Ask", description: "Asks before every change and every command that does more than look" },
  edits: { name: "Edits allowed", description: "Changes ordinary files of the workspace without asking" },
  plan: { name: "Plan", description: "Only reads, and ends with a plan to accept" },
  all: { name: "All allowed", description: "Runs every tool without asking" },
};

const OF_POLICY: Readonly<Record<Policy["approvals"]["mode"], SessionMode>> = {
  manual: "ask",
  smart: "edits",
  off: "all",
};

/** The mode of a session: its own, else that of the owner's approvals. */
export const modeOf = ({ mode }: Settings, approvals: Pick<Policy["approvals"], "mode">): SessionMode =>
  mode ?? OF_POLICY[approvals.mode];

/** The mode that follows another one. */
export const nextMode = (mode: SessionMode): SessionMode =>
  SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? "ask";

/** The mode of a word that people type; `yolo` is what `all` was called first. */
export const modeNamed = (word: string): SessionMode | undefined =>
  word === "yolo" ? "all" : SESSION_MODES.find((mode) => mode === word);

/** Told to the model of a call that may change something, in a session that plans. */
export const PLAN_REFUSAL =
  "Not run: this session is in plan mode, which only reads. Find out what you need by reading, then call present_plan with what you would do. Do not try the same in another form.";
