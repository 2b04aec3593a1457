import type { ChangeMark, ChangePlace } from "../ports/checkpoints.ts";
import type { AnyTool, Permit, ToolResult } from "../ports/tool.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { toolContext } from "./tool-context.ts";
import type { TurnContext } from "./turn-context.ts";

/** A call that is about to run. */
interface RunningCall {
  readonly tool: AnyTool;
  readonly input: never;
  readonly permit: Permit;
  readonly callId: string;
}

const NOTHING_KEPT = (): Promise<void> => Promise.resolve();

const mayChange = (tool: AnyTool): boolean => tool.effect !== "pure" && tool.changes !== "nothing";

/** A model that answers sooner is not to share the machine with a look at the workspace. */
const THINKING_MS = 150;

/** Looks at the workspace while the model thinks, so that a first call need not wait; gives what ends that. */
export const prepareFilesSoon = (turn: TurnContext): (() => void) =>
  turn.services.clock.after(THINKING_MS, () => prepareFiles(turn, "turn"));

/** Begins to look at the workspace, when the turn has tools that may change anything in it. */
export function prepareFiles(turn: TurnContext, before: "turn" | "call"): void {
  const { checkpoints } = turn.services;
  if (checkpoints === undefined || turn.log.state.roots.length === 0) return;
  const tools = [...turn.preamble.tools().values()];
  const isNeeded = tools.some((tool) => mayChange(tool) && tool.changes === undefined);
  if (isNeeded) checkpoints.prepare(turn.log.state.roots, before);
}

/**
 * Keeps what a call may change, before it runs. Gives the function that notes what it did change, for when it is over; that
 * never rejects, and what is asked of the checkpoints after it comes after it.
 */
export async function keepFiles(
  turn: TurnContext,
  { tool, input, permit, callId }: RunningCall,
): Promise<(result: ToolResult | undefined) => Promise<void>> {
  const { checkpoints } = turn.services;
  const readsOnly = permit.verdict !== "block" && permit.readsOnly === true;
  if (checkpoints === undefined || !mayChange(tool) || readsOnly) return NOTHING_KEPT;
  const place = placeOf(turn);
  if (place.roots.length === 0) return NOTHING_KEPT;
  const { session } = toolContext(turn, callId);
  const locations = tool.changes === "locations" ? (tool.locations?.(input, session) ?? []) : undefined;
  const mark: ChangeMark = await checkpoints.before({
    ...place,
    label: tool.label(input),
    ...defined({ paths: locations?.map(({ path }) => path) }),
  });
  return async (result) => {
    try {
      await checkpoints.after(mark, goesOn(result));
    } catch (thrown) {
      turn.services.report(toHostError(thrown, "store_unavailable"));
    }
  };
}

/** A subagent's changes belong to the turn of the person's session. */
function placeOf({ log, subagents, turnId }: TurnContext): ChangePlace {
  const root = subagents.rootOf(log);
  const { turn, lastTurn, seq } = root.state;
  return {
    session: root.id,
    turnId: turn?.turnId ?? lastTurn?.turnId ?? turnId,
    cursor: seq,
    roots: log.state.roots,
  };
}

/** The call is over, and what it started is not. */
const goesOn = (result: ToolResult | undefined): boolean =>
  result?.content.some(
    (part) => part.type === "terminal" && part.exitCode === null && part.signal === null,
  ) ?? false;
