import type { DurableEvent } from "../../../src/core/index.ts";
import type { Fault } from "./fault.ts";
import type { LogRow } from "./log-row.ts";

type Rest = { readonly turnId: string };

const ofTurn = (event: DurableEvent): event is DurableEvent & Rest =>
  "turnId" in event && !AFTERWARDS.has(event.type);

/** Rows that speak of a turn that may be over. */
const AFTERWARDS = new Set(["turn.feedback"]);

/** Turns follow each other, each row stands in its turn, and each call has one beginning and one end. */
export function* orderFaults(session: string, rows: readonly LogRow[]): Generator<Fault> {
  let open: string | undefined;
  const calls = new Map<string, "started" | "done">();
  for (const { n, event } of rows) {
    const fault = (text: string): Fault => ({ kind: "misordered", session, text: `row ${n}: ${text}` });
    if (event.type === "turn.start") {
      if (open !== undefined) yield fault(`turn ${event.turnId} begins in turn ${open}`);
      open = event.turnId;
    } else if (ofTurn(event) && event.turnId !== open)
      yield fault(`${event.type} of turn ${event.turnId} stands in ${open ?? "no turn"}`);
    if (event.type === "turn.end") open = undefined;
    if (event.type === "tool.start") {
      if (calls.has(event.callId)) yield fault(`call ${event.callId} begins again`);
      calls.set(event.callId, "started");
    }
    if (event.type === "tool.complete") {
      const known = calls.get(event.callId);
      if (known !== "started")
        yield fault(`call ${event.callId} ends ${known === undefined ? "without a beginning" : "again"}`);
      calls.set(event.callId, "done");
    }
  }
  for (const [call, state] of calls)
    if (state === "started") yield { kind: "stuck", session, text: `call ${call} has no end` };
  if (open !== undefined) yield { kind: "stuck", session, text: `turn ${open} has no end` };
}
