import { processEndWords, shortCommand } from "../../shared/text/process-words.ts";
import type { Payload } from "../gateway.ts";
import { note } from "./entry.ts";
import { flushAnswer } from "./flush.ts";
import { print, type ViewState } from "./view-state.ts";

/** The number of commands and prompts that run in the background. */
export const runningBeside = ({ processes, background }: ViewState): number =>
  processes.length + background.length;

/** A command runs in the background from here on. */
export function beginProcess(
  view: ViewState,
  { process_id: id, command }: Payload<"process.start">,
): ViewState {
  return { ...view, processes: [...without(view, id), { id, command }] };
}

/** A command in the background is over. Of one whose end the model waited for, the call tells. */
export function endProcess(view: ViewState, end: Payload<"process.complete">): ViewState {
  const {
    process_id: id,
    command,
    exit_code: exitCode = null,
    signal = null,
    with_host: withHost,
    heard,
  } = end;
  const next = { ...view, processes: without(view, id) };
  if (heard === true) return next;
  const how = processEndWords({ exitCode, signal, ...(withHost === true ? { withHost } : {}) });
  const where = withHost === true ? "" : " · /processes shows what it printed";
  const text = `A command in the background ${how}: ${shortCommand(command)}${where}`;
  return print(flushAnswer(next), note(exitCode === 0 ? "ok" : "warn", text));
}

const without = ({ processes }: ViewState, id: string): ViewState["processes"] =>
  processes.filter((each) => each.id !== id);
