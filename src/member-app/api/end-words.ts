import type { ErrorCode, TurnOutcome } from "../../core/index.ts";

/** An end of a turn: how it ended, and what failed. */
interface EndedTurn {
  readonly outcome: TurnOutcome;
  readonly code?: ErrorCode | undefined;
}

const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  budget_exceeded:
    "What may be used is used up. Nothing is lost: it goes on once whoever looks after the agent raises it, or with the next month.",
  limit_exceeded: "It took more than one answer may. Write again, and it goes on.",
  session_damaged: "This conversation is damaged. Begin a new one.",
  context_exhausted: "This conversation has become too long. Begin a new one.",
  provider_rate_limit: "Too many people ask at once. Ask again in a moment.",
  provider_overloaded: "Too many people ask at once. Ask again in a moment.",
  timeout: "It took too long. Ask again.",
};

/** Errors name addresses, keys and commands of the machine, which are no business of its members. */
const OTHERWISE =
  "Something is wrong where the agent runs. Ask again in a moment; if it stays so, tell whoever looks after it.";

/** Says why a turn ended, as far as its member has to do with it: not what became of the program. */
export const whyEnded = ({ outcome, code }: EndedTurn): string =>
  outcome === "failed" ? ((code && WORDS[code]) ?? OTHERWISE) : "";
