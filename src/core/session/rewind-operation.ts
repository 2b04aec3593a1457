import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent } from "../events/events.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { FileRestore, RestoredFiles } from "../ports/checkpoints.ts";
import type { Services } from "../ports/services.ts";
import { busy } from "./prompt-operations.ts";
import { restoredSentences } from "./restored-words.ts";

/** The wish to take turns out of the conversation, to put files back, or both. */
export interface RewindInput {
  /** The cursor on which it was decided. */
  readonly head: number;
  readonly undo?: { readonly keep: number; readonly turns: number; readonly files: readonly string[] };
  readonly wish?: FileRestore;
  /** What became of the files, once the owner has put them back. */
  readonly restored?: RestoredFiles;
}

/** The value of a rewind; not done when the session has gone on meanwhile. */
export interface RewindValue {
  readonly done: boolean;
  readonly restored?: RestoredFiles;
}

/** Decides about a rewind, whose files have been put back already. */
export function rewind({ state }: LogView, input: RewindInput): Decision<RewindValue> {
  if (state.turn !== undefined) throw busy(state, "go back");
  const { head, undo, restored } = input;
  if (undo !== undefined && state.seq !== head) return { events: [], value: { done: false } };
  // The files last: who follows takes everything before the undo off the screen.
  const events = [
    ...(undo === undefined ? [] : [undone(undo, restored)]),
    ...(restored === undefined ? [] : told(restored, { cwd: state.cwd, alone: undo === undefined })),
  ];
  return { events, value: { done: true, ...(restored && { restored }) } };
}

/** The files that stay are named; those that went back are none of them. */
function undone(
  { keep, turns, files }: NonNullable<RewindInput["undo"]>,
  restored: RestoredFiles | undefined,
): DurableEvent {
  const back = new Set(restored?.restored);
  const stay = files.filter((path) => !back.has(path));
  return {
    type: "history.undo",
    keep,
    turns,
    ...(stay.length === 0 ? {} : { files: stay }),
    ...(back.size === 0 ? {} : { restored: back.size }),
  };
}

/**
 * Names what became of the files.
 *
 * @param place.alone - no turn is taken back with them: who reads of one is told there which files stay
 */
function told(
  files: RestoredFiles,
  { cwd, alone }: { readonly cwd: string; readonly alone: boolean },
): readonly DurableEvent[] {
  if (files.restored.length === 0) return [];
  const text = restoredSentences(files, { cwd, withOthers: alone });
  return [{ type: "notice", level: "info", kind: "files.rewound", text }];
}

/**
 * Readies a rewind of files: gives its input as the decision gets it, and what happens before the decision while nobody
 * else can append.
 */
export function readyRewind(
  input: RewindInput,
  { writer, services }: { readonly writer: LogWriter; readonly services: Services },
): { readonly input: RewindInput; readonly prepare: (() => Promise<void>) | undefined } {
  const { wish } = input;
  if (wish === undefined) return { input, prepare: undefined };
  const { checkpoints } = services;
  const ready: RewindInput & { restored?: RestoredFiles } = { ...input };
  const prepare = async (): Promise<void> => {
    if (checkpoints === undefined) throw noCheckpoints();
    if (writer.plannedState.turn !== undefined) throw busy(writer.plannedState, "go back");
    ready.restored = await checkpoints.restore(wish);
  };
  return { input: ready, prepare };
}

export const noCheckpoints = (): HostError =>
  new HostError(
    "not_found",
    "Files are not kept here (checkpoints.enabled in config.yaml). /undo takes back the conversation alone.",
  );
