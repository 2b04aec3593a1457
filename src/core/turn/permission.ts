import { denialOf } from "../questions/denials.ts";
import { callHash, choicesFor, judge, type JudgedCall, scopesFor } from "../questions/approvals.ts";
import type { ApprovalRequest, QuestionRequest, Resolution } from "../events/question-events.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AnyTool, Permit } from "../ports/tool.ts";
import type { CallState } from "../state/state.ts";
import { type TurnContext, type TurnStep, turnState } from "./turn-context.ts";

/** Whether somebody is asked before the call runs. */
export function asksFirst(turn: TurnContext, call: JudgedCall): boolean {
  const { services, log } = turn;
  const canAsk = turnState(turn).prompt.questions.mode === "ask";
  return canAsk && judge(call, services.policy(), log.state).action === "ask";
}

/** Asks for an approval if the call needs one. Returns why the call may not run; `undefined` when it may. */
export async function* askPermission(
  turn: TurnContext,
  { state, tool }: { readonly state: CallState; readonly tool: AnyTool },
  permit: Permit,
): AsyncGenerator<TurnStep, string | undefined> {
  const { name: toolName, effect } = tool;
  if (state.permission === "allowed") return undefined;
  const { log, services, questions } = turn;
  const open = log.state.questions.find(
    ({ request }) =>
      request.type === "approval.request" &&
      request.callId === state.call.id &&
      request.child === undefined &&
      request.running !== true,
  );
  if (open !== undefined) {
    if (hasMoved(open.request, permit)) return MOVED;
    return refusal((await questions.expect(open.request.requestId)).resolution);
  }
  // The end came while nobody drove the turn.
  if (state.permission === "denied") return state.denial === undefined ? DENIED : refusal(state.denial);
  const policy = services.policy();
  const denial = denialOf(policy.approvals.denied, { permit, toolName });
  if (denial !== undefined)
    return `Not run: the owner's rule \`${denial}\` (approvals.denied) forbids it. Do not try the same in another form; go on without it, or ask.`;
  const verdict = judge({ permit, effect }, policy, log.state);
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
    toolName,
    command: ask.command,
    description: ask.description,
    patterns: ask.patterns,
    choices: choicesFor(ask),
    inputHash: callHash(state.call),
    timeoutMs: policy.approvals.timeoutMs,
    beforeEffect: true,
    ...defined({
      content: ask.content,
      locations: ask.locations,
      reasons: ask.reasons,
      details: ask.details,
      place: ask.place,
      scopes: scopesFor(ask, log.state.roots[0]),
    }),
  };
  const answer = questions.expect(request.requestId);
  yield [request];
  return refusal((await answer).resolution);
}

/** What was asked for a command in the sandbox is no answer for the same one outside. */
const hasMoved = (asked: QuestionRequest, permit: Permit): boolean =>
  asked.type === "approval.request" &&
  asked.place === "inside" &&
  permit.verdict === "ask" &&
  permit.place === "outside";

const MOVED =
  "Not run: it was asked about for the sandbox, and there is none any more. Call it again to ask anew.";

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
