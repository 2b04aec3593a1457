import { defined } from "../../shared/json/defined.ts";
import { defaultPermit } from "../questions/approvals.ts";
import { textPart } from "../events/content.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { EventNamed } from "../events/events.ts";
import { mergeGenerators } from "../../shared/async/merge-generators.ts";
import type { CallState } from "../state/state.ts";
import type { AnyTool, Permit, ToolResult, ToolRun } from "../ports/tool.ts";
import { truncateOutput } from "./truncate-output.ts";
import { toolContext } from "./tool-context.ts";
import type { PendingEvent, PendingReply, TurnContext, TurnStep } from "./turn-context.ts";
import { askPermission, asksFirst } from "./permission.ts";
import { CallQuestions } from "./call-questions.ts";
import { keepFiles, prepareFiles } from "./kept-files.ts";
import { ProgressThrottle } from "./progress-throttle.ts";

type ToolStart = EventNamed<"tool.start">;

/** A call that is ready to run, or the reason why it cannot. */
interface PreparedCall {
  readonly state: CallState;
  readonly start: ToolStart;
  readonly plan:
    | { readonly run: true; readonly tool: AnyTool; readonly input: never; readonly permit: Permit }
    | { readonly run: false; readonly reason: string };
}

/**
 * Runs calls until each has a result. Calls that only read and follow each other run side by side, all others one by one.
 *
 * @param reply - the reply that asked for them, when it is not in the log yet: it is committed with the first starts
 */
export async function* runCalls(
  turn: TurnContext,
  calls: readonly CallState[],
  reply?: PendingReply,
): AsyncGenerator<TurnStep, void> {
  if (calls.length === 0) return;
  prepareFiles(turn, "call");
  let first: readonly PendingEvent[] = reply === undefined ? [] : [reply];
  for (const group of groupCalls(calls, turn.preamble.tools())) {
    const prepared = await Promise.all(group.map((state) => prepareCall(turn, state)));
    const starts = prepared.filter(({ state }) => state.status === "waiting").map(({ start }) => start);
    if (first.length + starts.length > 0) yield [...first, ...starts];
    first = [];
    yield* mergeGenerators(prepared.map((call) => completeCall(turn, call)));
    turn.signal.throwIfAborted();
  }
}

function groupCalls(
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

async function prepareCall(turn: TurnContext, state: CallState): Promise<PreparedCall> {
  const { call } = state;
  const base = {
    type: "tool.start",
    turnId: turn.turnId,
    callId: call.id,
    name: call.name,
    input: call.input,
  } as const;
  const tool = turn.preamble.tools().get(call.name);
  const refuse = (reason: string, label: string): PreparedCall => ({
    state,
    start: { ...base, kind: tool?.kind ?? "other", label },
    plan: { run: false, reason },
  });
  if (tool === undefined) return refuse(unknownTool(call.name, turn.preamble.tools()), call.name);
  if (call.malformed !== undefined) {
    return refuse(`The arguments were not a JSON object: ${call.malformed}`, call.name);
  }
  try {
    const input = tool.parse(call.input);
    const context = toolContext(turn, call.id);
    const label = shortLabel(tool.label(input));
    const permit = tool.permit === undefined ? defaultPermit(tool, label) : await tool.permit(input, context);
    const asked = permit.verdict === "ask" ? permit : undefined;
    const locations = asked?.locations ?? tool.locations?.(input, context.session);
    const start: ToolStart = {
      ...base,
      kind: tool.kind,
      label,
      ...defined({ locations, content: asked?.content }),
      ...(asksFirst(turn, { permit, effect: tool.effect }) ? { asks: true } : {}),
    };
    return { state, start, plan: { run: true, tool, input, permit } };
  } catch (thrown) {
    return refuse(toHostError(thrown, "tool_failed").message, call.name);
  }
}

const LABEL_CHARACTERS = 80;

/** A label that is cut says so: it stands for its call where a person decides about it. */
const shortLabel = (label: string): string =>
  label.length <= LABEL_CHARACTERS ? label : `${label.slice(0, LABEL_CHARACTERS - 1).toWellFormed()}…`;

function unknownTool(name: string, tools: ReadonlyMap<string, AnyTool>): string {
  return `There is no tool named ${name} here. Available: ${[...tools.keys()].join(", ") || "none"}.`;
}

/** Brings one call to its result. */
async function* completeCall(turn: TurnContext, prepared: PreparedCall): AsyncGenerator<TurnStep, void> {
  const { clock } = turn.services;
  const { plan, state, start } = prepared;
  // The time that people take to answer is not the call's.
  let startedAt = clock.monotonic();
  let result: ToolResult | { readonly outcome: "denied"; readonly content: ToolResult["content"] };
  if (!plan.run) result = { outcome: "error", content: [textPart(plan.reason)] };
  else {
    const denial = yield* askPermission(turn, { state, tool: plan.tool }, plan.permit);
    startedAt = clock.monotonic();
    result =
      denial === undefined
        ? yield* runTool(turn, { ...plan, state })
        : { outcome: "denied", content: [textPart(denial)] };
  }
  // What was denied or could not be read has told nothing.
  const read =
    plan.run && result.outcome !== "denied" && plan.permit.verdict !== "block" && plan.permit.sensitive;
  const output = await truncateOutput(turn, result.content);
  const { mode, ...told }: Pick<ToolResult, "mode"> & typeof result = result;
  yield [
    ...(mode === undefined ? [] : [{ type: "settings.set", patch: { mode } } as const]),
    {
      type: "tool.complete",
      turnId: turn.turnId,
      callId: start.callId,
      name: start.name,
      label: start.label,
      durationMs: Math.round(clock.monotonic() - startedAt),
      ...told,
      ...output,
      ...(read ? { sensitive: true } : {}),
    },
  ];
}

/** A call that may run, with the judgement of it. */
interface RunnableCall {
  readonly tool: AnyTool;
  readonly input: never;
  readonly permit: Permit;
  readonly state: CallState;
}

/** Runs a tool that may run. Its progress and its questions go to the driver; an error that it throws is its result. */
async function* runTool(
  turn: TurnContext,
  { tool, input, permit, state }: RunnableCall,
): AsyncGenerator<TurnStep, ToolResult> {
  const callId = state.call.id;
  const noteChanges = await keepFiles(turn, { tool, input, permit, callId });
  let result: ToolResult | undefined;
  const throttle = new ProgressThrottle(turn.services, { callId: state.call.id, name: tool.name });
  const questions = new CallQuestions(turn, tool, state);
  const running = tool.run(input, toolContext(turn, state.call.id, questions));
  try {
    let next = advance(running);
    let question = questions.next();
    for (;;) {
      const step = await Promise.race([next, question, throttle.due()]);
      if (step.kind === "asked") {
        yield* questions.raise(step.asked);
        question = questions.next();
      } else if (step.kind === "step") {
        if (step.result.done === true) {
          result = step.result.value;
          // The model goes on meanwhile; whoever asks about files next has to wait for it.
          void noteChanges(result);
          return result;
        }
        next = advance(running);
        throttle.take(step.result.value);
      }
      const progress = throttle.next();
      if (progress !== undefined) await turn.show(progress);
    }
  } catch (thrown) {
    const outcome = turn.signal.aborted ? "cancelled" : "error";
    return { outcome, content: [textPart(toHostError(thrown, "tool_failed").message)] };
  } finally {
    throttle.close();
    // The tool learns from its signal that the driver left; nobody waits for its clean-up.
    const left = running.return({ outcome: "cancelled", content: [] }).catch(() => undefined);
    // What it did until it was stopped, or failed, counts too.
    if (result === undefined)
      await Promise.race([left.then(() => noteChanges(undefined)), aborted(turn.signal)]);
  }
}

/** Resolves when a turn is stopped: nobody waits any more. */
function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

function advance(running: ToolRun) {
  const next = running.next().then((result) => ({ kind: "step" as const, result }));
  // It may fail while the driver is busy with the progress before it: that is heard when the driver comes back.
  next.catch(() => undefined);
  return next;
}
