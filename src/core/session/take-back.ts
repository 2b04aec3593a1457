import { HostError } from "../../shared/errors/host-error.ts";
import { changedFiles } from "../conversation/changed-files.ts";
import { lastPrompts, type PastPrompt } from "../conversation/past-prompts.ts";
import type { FileRestore, RestoredFiles } from "../ports/checkpoints.ts";
import type { SessionState } from "../state/state.ts";
import type { SessionActor } from "./session-actor.ts";

const ATTEMPTS = 6;

/** The newest prompts that still count, newest first. */
export const promptsOf = (
  { id, services }: SessionActor,
  state: SessionState,
  count: number,
): Promise<readonly PastPrompt[]> => lastPrompts(services.store, { id, state, count });

/** The turns that are to be taken back, and the files. */
export interface TakeBack {
  /** The prompts whose turns go, newest first. */
  readonly prompts: readonly PastPrompt[];
  readonly files?: Omit<FileRestore, "session" | "cursor">;
}

/** The turns and files that were taken back. */
export interface TakenBack {
  readonly prompts: readonly PastPrompt[];
  readonly files?: RestoredFiles;
}

/**
 * Takes turns out of the conversation, puts files back, or both. What is wanted is looked up anew when the session changes
 * meanwhile.
 *
 * @throws HostError `session_busy` while a turn runs
 */
export async function takeBackTurns(
  actor: SessionActor,
  find: (state: SessionState) => Promise<TakeBack>,
): Promise<TakenBack> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const state = await actor.refresh();
    const { prompts, files } = await find(state);
    const oldest = prompts.at(-1);
    const undo =
      oldest === undefined
        ? undefined
        : {
            keep: oldest.before,
            turns: prompts.length,
            files: changedFiles(state, await actor.log.rows(oldest.before, state.seq)),
          };
    const wish = files && { ...files, session: actor.id, cursor: state.seq };
    const input = { head: state.seq, ...(undo && { undo }), ...(wish && { wish }) };
    const { done, restored } = await actor.run("rewind", input);
    if (done) return { prompts, ...(restored && { files: restored }) };
  }
  throw new HostError("session_busy", "The session changes too fast to take a turn back; try again.");
}

export const nothingToUndo = (): HostError => new HostError("nothing_to_undo", "There is no turn to undo.");
