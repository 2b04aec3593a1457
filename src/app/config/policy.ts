import { z } from "zod";
import { DEFAULT_POLICY, type Policy } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { later } from "../../shared/memo/later.ts";
import { COUNT, key, NAMES, SECONDS } from "./block.ts";
import { isToolsetName, TOOLSET_LIST } from "./toolset-names.ts";

const PLATFORMS = ["cli", "tui", "acp", "api_server", "webhook", "job", "chat", "app", "library"] as const;
const toolset = z.string().refine(isToolsetName, {
  error: `There is no such toolset. There are ${TOOLSET_LIST}`,
});
// YAML 1.1 readers turn a bare `off` into false; people mean the word.
const approvalMode = z.preprocess(
  (mode) => (mode === false ? "off" : mode),
  z.enum(["manual", "smart", "off"]),
);

const base = DEFAULT_POLICY;
const inSeconds = (milliseconds: number): number => milliseconds / 1000;

/** The blocks that say how sessions work. */
export const POLICY_KEYS = {
  approvals: later(() =>
    z
      .looseObject({
        mode: key(approvalMode, "What asks before it runs.", base.approvals.mode),
        timeout: key(SECONDS, "Seconds until a question is denied.", inSeconds(base.approvals.timeoutMs)),
        allowed: key(NAMES, "Rules of what never asks.", base.approvals.allowed),
        denied: key(NAMES, "Rules of what never runs, in no mode.", base.approvals.denied),
      })
      .optional(),
  ),
  questions: later(() =>
    z
      .looseObject({
        clarify_timeout: key(SECONDS, "For questions of the agent.", inSeconds(base.questions.clarifyMs)),
        sudo_timeout: key(SECONDS, "For passwords of sudo.", inSeconds(base.questions.sudoMs)),
        secret_timeout: key(SECONDS, "For other secrets.", inSeconds(base.questions.secretMs)),
        unseen_timeout: key(
          SECONDS,
          "Seconds after which the time-out of an unseen question begins.",
          inSeconds(base.questions.unseenMs),
        ),
        park_timeout: key(
          SECONDS,
          "Seconds that a question stays open at most.",
          inSeconds(base.questions.parkMs),
        ),
      })
      .optional(),
  ),
  limits: later(() =>
    z
      .looseObject({
        running_turns: key(
          z.int().min(0),
          "Turns that a host runs at once; further prompts wait until a host has room. 0 is any number.",
          base.limits.runningTurns,
        ),
        iterations: key(COUNT, "Model calls per turn.", base.limits.iterations),
        turn_seconds: key(SECONDS, "Wall time of a turn; 0 is none.", inSeconds(base.limits.turnMs)),
        tool_output: key(COUNT, "Characters of one result that the model gets.", base.limits.toolOutput),
        reply_text: key(COUNT, "Characters that one reply may have.", base.limits.replyText),
        session_tokens: key(z.int().min(0), "Tokens per session; 0 is no limit.", base.limits.sessionTokens),
        session_cost: key(
          z.number().min(0),
          "US dollars per session; 0 is no limit.",
          base.limits.sessionCost,
        ),
      })
      .optional(),
  ),
  compression: later(() =>
    z
      .looseObject({
        enabled: key(z.boolean(), "Compress long conversations by themselves.", base.compression.enabled),
        at: key(z.number().gt(0).max(1), "Fraction of the context where it happens.", base.compression.at),
      })
      .optional(),
  ),
  retries: later(() =>
    z
      .looseObject({
        tries: key(COUNT, "Requests per model call in all.", base.retry.tries),
        longest_wait: key(
          SECONDS,
          "A provider that asks for a longer wait ends the turn.",
          inSeconds(base.retry.longestWaitMs),
        ),
      })
      .optional(),
  ),
  delegation: later(() =>
    z
      .looseObject({
        max_depth: key(z.int().min(0), "Levels of subagents; 0 is none at all.", base.delegation.maxDepth),
        max_children: key(COUNT, "Subagents of a session that run at once.", base.delegation.maxChildren),
        max_iterations: key(COUNT, "Model calls of one subagent.", base.delegation.iterations),
        timeout: key(SECONDS, "Wall time of one subagent; 0 is none.", inSeconds(base.delegation.timeoutMs)),
        answer: key(COUNT, "Characters of its answer that the parent gets.", base.delegation.answer),
        model: key(z.string().min(1), "Model of subagents; that of the parent when absent."),
      })
      .optional(),
  ),
  queue: later(() =>
    z
      .looseObject({
        hold_after: key(
          SECONDS,
          "After a crash, prompts older than this wait for somebody to confirm them.",
          inSeconds(base.queue.holdMs),
        ),
      })
      .optional(),
  ),
  toolsets: later(() => key(z.partialRecord(z.enum(PLATFORMS), z.array(toolset)), "Toolsets per platform.")),
  sessions: later(() =>
    z
      .looseObject({
        auto_title: key(z.boolean(), "Name untitled sessions after their first prompt.", base.autoTitle),
      })
      .optional(),
  ),
};

type PolicyBlocks = {
  readonly [Key in keyof typeof POLICY_KEYS]?: z.output<ReturnType<(typeof POLICY_KEYS)[Key]>>;
};

/** The policy that the blocks say; the core's defaults for the rest. */
export function policyOf(block: PolicyBlocks): Policy {
  const { approvals = {}, questions = {}, limits = {}, compression = {}, retries = {} } = block;
  const { delegation = {}, queue = {}, toolsets = {}, sessions = {} } = block;
  return {
    approvals: {
      ...base.approvals,
      ...defined({
        mode: approvals.mode,
        allowed: approvals.allowed,
        denied: approvals.denied,
        timeoutMs: ms(approvals.timeout),
      }),
    },
    questions: {
      ...base.questions,
      ...defined({
        clarifyMs: ms(questions.clarify_timeout),
        sudoMs: ms(questions.sudo_timeout),
        secretMs: ms(questions.secret_timeout),
        unseenMs: ms(questions.unseen_timeout),
        parkMs: ms(questions.park_timeout),
      }),
    },
    limits: {
      ...base.limits,
      ...defined({
        runningTurns: limits.running_turns,
        iterations: limits.iterations,
        turnMs: ms(limits.turn_seconds),
        toolOutput: limits.tool_output,
        replyText: limits.reply_text,
        sessionTokens: limits.session_tokens,
        sessionCost: limits.session_cost,
      }),
    },
    compression: {
      ...base.compression,
      ...defined({ enabled: compression.enabled, at: compression.at }),
    },
    retry: { ...base.retry, ...defined({ tries: retries.tries, longestWaitMs: ms(retries.longest_wait) }) },
    queue: { ...base.queue, ...defined({ holdMs: ms(queue.hold_after) }) },
    delegation: {
      ...base.delegation,
      ...defined({
        maxDepth: delegation.max_depth,
        maxChildren: delegation.max_children,
        iterations: delegation.max_iterations,
        timeoutMs: ms(delegation.timeout),
        answer: delegation.answer,
        model: delegation.model,
      }),
    },
    toolsets,
    chatToolsets: base.chatToolsets,
    chatApprovers: base.chatApprovers,
    autoTitle: sessions.auto_title ?? base.autoTitle,
  };
}

const ms = (given: number | undefined): number | undefined =>
  given === undefined ? undefined : 1000 * given;
