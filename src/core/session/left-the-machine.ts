import type { DurableEvent } from "../events/events.ts";
import { decodeRow } from "../log/row-codec.ts";
import type { AnyTool } from "../ports/tool.ts";
import { coversSeq } from "../state/state.ts";
import type { SessionActor } from "./session-actor.ts";

const MOST_LINES = 50;
/** Rows of a subagent's log that are looked at. */
const MOST_ROWS = 2000;
const DEEPEST = 4;

/**
 * What calls sent to other machines after a cursor, a line each, as far as their tools know: requests, pushes, messages. What
 * subagents sent counts too.
 */
export async function leftTheMachine(actor: SessionActor, after: number): Promise<readonly string[]> {
  const { undone, seq } = actor.log.state;
  const rows = await actor.log.rows(after, seq);
  const events = rows.filter((row) => !coversSeq(undone, row.seq)).map(({ event }) => event);
  const tools = actor.preamble.tools();
  return (await sentBy(actor, events, { tools, depth: 0 })).slice(0, MOST_LINES);
}

async function sentBy(
  actor: SessionActor,
  events: readonly DurableEvent[],
  { tools, depth }: { readonly tools: ReadonlyMap<string, AnyTool>; readonly depth: number },
): Promise<readonly string[]> {
  const ran = new Set(
    events.flatMap((event) =>
      event.type === "tool.complete" && event.outcome !== "denied" ? [event.callId] : [],
    ),
  );
  const lines: string[] = [];
  for (const event of events) {
    if (event.type === "tool.start" && ran.has(event.callId) && leaves(tools.get(event.name), event.input))
      lines.push(`${event.name}: ${event.label}`);
    if (event.type === "subagent.start" && depth < DEEPEST) {
      const child = await actor.services.store.read(event.childId, { after: 0, limit: MOST_ROWS });
      const inner = (child?.rows ?? []).map((row) => decodeRow(row).event);
      lines.push(...(await sentBy(actor, inner, { tools, depth: depth + 1 })));
    }
  }
  return lines;
}

function leaves(tool: AnyTool | undefined, input: unknown): boolean {
  if (tool?.leavesMachine === undefined) return false;
  try {
    return tool.leavesMachine(tool.parse(input));
  } catch {
    // What could not be read did not run.
    return false;
  }
}
