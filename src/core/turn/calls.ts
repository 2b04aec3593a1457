import { choicesFor, callHash, defaultPermit, judge } from "../questions/approvals.ts";
import { textPart } from "../events/content.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent } from "../events/events.ts";
import type { ApprovalRequest, Resolution } from "../events/question-events.ts";
import { mergeGenerators } from "../../shared/async/merge-generators.ts";
import { runTool } from "./run-tool.ts";
import type { CallState } from "../state/state.ts";
import type { AnyTool, Permit, ToolResult } from "../ports/tool.ts";
import { truncateOutput } from "./truncate-output.ts";
import { toolContext } from "./tool-context.ts";
import {
  type PendingEvent,
  type PendingReply,
  type TurnContext,
  type TurnStep,
  turnState,
} from "./turn-context.ts";

type ToolStart = Extract<DurableEvent, { type: "tool.start" }>;

/** A call that has been looked at: what it is about, and why it cannot run, if so. */
interface Prepared {
  readonly state: CallState;
  readonly start: ToolStart;
  readonly plan:
    | { readonly run: true; readonly tool: AnyTool; readonly input: never; readonly permit: Permit }
    | { readonly run: false; readonly reason: string };
}

/**
 * Runs calls until each has a result: reading ones that follow each other side by side, all others one by one.
 *
 * @param reply - the reply that asked for them, when it is not in the log yet: it is committed with the first starts
 */
export async function* runCalls(
  turn: TurnContext,
  calls: readonly CallState[],
  reply?: PendingReply,
): AsyncGenerator<TurnStep, void> {
  let first: readonly PendingEvent[] = reply === undefined ? [] : [reply];
  for (const group of inGroups(calls, turn.tools())) {
    const prepared = await Promise.all(group.map((state) => prepare(turn, state)));
    const starts = prepared.filter(({ state }) => state.status === "waiting").map(({ start }) => start);
    if (first.length + starts.length > 0) yield [...first, ...starts];
    first = [];
    yield* mergeGenerators(prepared.map((call) => settle(turn, call)));
    turn.signal.throwIfAborted();
  }
}

function inGroups(
  calls: readonly CallState[],
  tools: ReadonlyMap<string, AnyTool>,
): readonly (readonly CallState[])[] {
  const isPure = ({ call }: CallState): boolean => tools.get(call.name)?.effect === "pure";
  const groups: CallState[][] = [];
  for (const state of calls) {
    const last = groups.at(-1);
    if (last !== undefined && isPure(state) && last.every(isPure)) last.push(state);
    else groups.push([state]);
  }
  return groups;
}

async function prepare(turn: TurnContext, state: CallState): Promise<Prepared> {
  const { call } = state;
  const base = {
    type: "tool.start",
    turnId: turn.turnId,
    callId: call.id,
    name: call.name,
    input: call.input,
  } as const;
  const tool = turn.tools().get(call.name);
  const refuse = (reason: string, label: string): Prepared => ({
    state,
    start: { ...base, kind: tool?.kind ?? "other", label },
    plan: { run: false, reason },
  });
  if (tool === undefined) return refuse(unknownTool(call.name, turn.tools()), call.name);
  if (call.malformed !== undefined) {
    return refuse(`The arguments were not a JSON object: ${call.malformed}`, call.name);
  }
  try {
    const input = tool.parse(call.input);
    const context = toolContext(turn, call.id);
    const label = tool.label(input).slice(0, LABEL_CHARACTERS);
    const permit = tool.permit === undefined ? defaultPermit(tool, label) : await tool.permit(input, context);
    const asked = permit.verdict === "ask" ? permit : undefined;
    const locations = asked?.locations ?? tool.locations?.(input, context.session);
    const start: ToolStart = {
      ...base,
      kind: tool.kind,
      label,
      ...(locations === undefined ? {} : { locations }),
      ...(asked?.content === undefined ? {} : { content: asked.content }),
      ...(asksFirst(turn, permit) ? { asks: true } : {}),
    };
    return { state, start, plan: { run: true, tool, input, permit } };
  } catch (thrown) {
    return refuse(toHostError(thrown, "tool_failed").message, call.name);
  }
}

const LABEL_CHARACTERS = 80;

/** Somebody is asked before the call runs. */
function asksFirst(turn: TurnContext, permit: Permit): boolean {
  const { services, log } = turn;
  const canAsk = turnState(turn).prompt.questions.mode === "ask";
  return canAsk && judge(permit, services.policy(), log.state).action === "ask";
}

function unknownTool(name: string, tools: ReadonlyMap<string, AnyTool>): string {
  return `There is no tool named ${name} here. Available: ${[...tools.keys()].join(", ") || "none"}.`;
}

/** Brings one call to its result. */
async function* settle(turn: TurnContext, prepared: Prepared): AsyncGenerator<TurnStep, void> {
  const { clock } = turn.services;
  const startedAt = clock.monotonic();
  const { plan, state, start } = prepared;
  let result: ToolResult | { readonly outcome: "denied"; readonly content: ToolResult["content"] };
  if (!plan.run) result = { outcome: "error", content: [textPart(plan.reason)] };
  else {
    const denial = yield* permission(turn, prepared, plan.permit);
    result =
      denial === undefined
        ? yield* runTool(turn, { tool: plan.tool, input: plan.input, state })
        : { outcome: "denied", content: [textPart(denial)] };
  }
  const output = await truncateOutput(turn, result.content);
  yield [
    {
      type: "tool.complete",
      turnId: turn.turnId,
      callId: start.callId,
      name: start.name,
      label: start.label,
      durationMs: Math.round(clock.monotonic() - startedAt),
      ...result,
      ...output,
    },
  ];
}

/** Asks when it must; returns why the call may not run, or nothing when it may. */
async function* permission(
  turn: TurnContext,
  { state, start }: Prepared,
  permit: Permit,
): AsyncGenerator<TurnStep, string | undefined> {
  if (state.permission === "allowed") return undefined;
  const { log, services, questions } = turn;
  const open = log.state.questions.find(
    ({ request }) =>
      request.type === "approval.request" && request.callId === state.call.id && request.child === undefined,
  );
  if (open !== undefined) return refusal((await questions.expect(open.request.requestId)).resolution);
  if (state.permission === "denied") return DENIED;
  const policy = services.policy();
  const verdict = judge(permit, policy, log.state);
  if (verdict.action === "run") return undefined;
  if (verdict.action === "deny") return verdict.reason;
  const { questions: asking } = turnState(turn).prompt;
  if (asking.mode === "refuse") return `Not run: it needs an approval, and ${asking.reason}`;
  const { permit: ask } = verdict;
  const request: ApprovalRequest = {
    type: "approval.request",
    requestId: `req_${services.hex(8)}`,
    turnId: turn.turnId,
    callId: state.call.id,
    toolName: start.name,
    command: ask.command,
    description: ask.description,
    patterns: ask.patterns,
    choices: choicesFor(ask),
    inputHash: callHash(state.call),
    timeoutMs: policy.approvals.timeoutMs,
    beforeEffect: true,
    ...(ask.content === undefined ? {} : { content: ask.content }),
    ...(ask.locations === undefined ? {} : { locations: ask.locations }),
  };
  const answer = questions.expect(request.requestId);
  yield [request];
  return refusal((await answer).resolution);
}

const DENIED =
  "The user denied this call. Do not try it again and do not try the same in another form; go on without it, or ask.";

function refusal(resolution: Resolution): string | undefined {
  switch (resolution.outcome) {
    case "answered":
      return resolution.choice === "deny" ? withNote(DENIED, resolution.text) : undefined;
    case "expired":
      return "Not run: nobody answered the approval request in time. This is no consent; do not try it in another form.";
    case "refused":
    case "cancelled":
      return `Not run: ${resolution.reason}`;
  }
}

const withNote = (text: string, note: string | undefined): string =>
  note === undefined || note === "" ? text : `${text} They said: ${note}`;
