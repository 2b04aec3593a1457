import { shortCommand } from "../../shared/text/process-words.ts";
import type { EventNamed, Row } from "../events/events.ts";
import type { SessionState } from "./state.ts";

/** Keeps account of the commands in the background: which ones run, and of whose ends the model has to hear. */
export function foldProcess(
  state: SessionState,
  { type: _type, ...event }: EventNamed<"process.start" | "process.complete">,
  row: Row,
): SessionState {
  const processes = state.processes.filter(({ processId }) => processId !== event.processId);
  const command = shortCommand(event.command);
  if ("hostId" in event)
    return { ...state, processes: [...processes, { ...event, command, startedAt: row.at }] };
  if (event.heard === true) return { ...state, processes };
  return { ...state, processes, untold: [...state.untold, { ...event, command }] };
}
