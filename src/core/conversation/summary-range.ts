import type { DurableEvent, Row } from "../events/events.ts";
import type { Range } from "../state/state.ts";
import { estimateText } from "./tokens.ts";

/**
 * The older rows that a summary can replace: all before the start of a turn, with what an earlier summary stood for;
 * or, when one turn is all there is, its rounds up to a point where no call is open. The newest prompt stays.
 *
 * @param rows - as requests use them, see `loadRows`
 * @param keep - estimated tokens after the cut
 */
export function chooseSummaryRange(rows: readonly Row[], keep: number): Range | undefined {
  return newestThatKeeps(turnCuts(rows), keep) ?? newestThatKeeps(roundCuts(rows), keep);
}

interface Cut extends Range {
  /** Estimated tokens between this cut and the next. */
  size: number;
}

function newestThatKeeps(cuts: readonly Cut[], keep: number): Range | undefined {
  let kept = 0;
  for (const { from, to, size } of cuts.toReversed()) {
    kept += size;
    if (kept >= keep) return { from, to };
  }
  const oldest = cuts[0];
  return oldest && { from: oldest.from, to: oldest.to };
}

function turnCuts(rows: readonly Row[]): readonly Cut[] {
  const cuts: Cut[] = [];
  let turns = 0;
  for (const { event, seq } of rows) {
    if (event.type === "turn.start" || event.type === "history.given") turns += 1;
    if (event.type === "turn.start" && turns > 1) cuts.push({ from: 0, to: seq - 1, size: 0 });
    grow(cuts, event);
  }
  return cuts;
}

function roundCuts(rows: readonly Row[]): readonly Cut[] {
  const cuts: Cut[] = [];
  const start = rows.findLast(({ event }) => event.type === "turn.start");
  if (start === undefined) return cuts;
  const open = new Set<string>();
  let rounds = 0;
  for (const { event, seq } of rows) {
    if (seq <= start.seq) continue;
    if (event.type === "reply.complete") {
      if (rounds > 0 && open.size === 0) cuts.push({ from: start.seq, to: seq - 1, size: 0 });
      for (const { id } of event.calls) open.add(id);
      rounds += 1;
    }
    if (event.type === "tool.complete") open.delete(event.callId);
    grow(cuts, event);
  }
  return cuts;
}

function grow(cuts: readonly Cut[], event: DurableEvent): void {
  const last = cuts.at(-1);
  if (last !== undefined) last.size += estimateText(JSON.stringify(event));
}
