import { HostError } from "../../shared/errors/host-error.ts";
import { promptText } from "../events/content.ts";
import { lastPrompts, type PastPrompt } from "../conversation/past-prompts.ts";
import type { Checkpoints, RestoredFiles, TurnFiles } from "../ports/checkpoints.ts";
import type { SessionState } from "../state/state.ts";
import { leftTheMachine } from "./left-the-machine.ts";
import { noCheckpoints } from "./rewind-operation.ts";
import type { SessionActor } from "./session-actor.ts";
import { nothingToUndo, promptsOf, takeBackTurns, type TakeBack } from "./take-back.ts";

/** A turn by its number in `checkpoints()`, its id, or the id of its prompt. */
export type TurnChoice = string | number;

/** The part that goes back. */
export type RewindScope = "conversation" | "files" | "both";

/** The wish to go back to before a turn. */
export interface RewindWish {
  readonly turn: TurnChoice;
  readonly scope: RewindScope;
  /** Only these files, absolute; what somebody else changed in them is overwritten. Files only. */
  readonly paths?: readonly string[];
  /** Overwrites what somebody else changed meanwhile. */
  readonly force?: boolean;
}

/** A place to go back to: before a turn of the conversation, or before something else that changed files. */
export interface Checkpoint {
  /** From 1, the oldest first. */
  readonly number: number;
  readonly turnId: string;
  /** `turn`: it is part of the conversation; `taken_back`: it was; `rewind`: files were put back here. */
  readonly kind: "turn" | "taken_back" | "rewind";
  /** The cursor before it. */
  readonly before: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** The prompt; empty when there is none any more. */
  readonly text: string;
  readonly promptId?: string;
  /** Absent when no file was changed. */
  readonly files?: TurnFiles;
}

/** The end of a rewind. */
export interface Rewound {
  readonly checkpoint: Checkpoint;
  /** Turns that were taken out of the conversation. */
  readonly turns: number;
  readonly files?: RestoredFiles;
  /** What left the machine in the turns taken back, a line each: nobody can take it back. */
  readonly notUndone: readonly string[];
}

const REWIND = "rewind_";

/** The places to go back to, the oldest first. */
export async function listCheckpoints(actor: SessionActor): Promise<readonly Checkpoint[]> {
  const state = await actor.refresh();
  return await placesOf(actor, state);
}

/** One of them. @throws HostError `not_found` */
export const checkpointAt = async (actor: SessionActor, turn: TurnChoice): Promise<Checkpoint> =>
  await choose(actor, await actor.refresh(), turn);

/** A unified diff of what one of them did to files. */
export async function checkpointDiff(
  actor: SessionActor,
  turn: TurnChoice,
  limit = 200_000,
): Promise<string> {
  const { turnId } = await choose(actor, await actor.refresh(), turn);
  return await checkpointsOf(actor).diff({ session: actor.id, after: -1, turnId }, limit);
}

/** What `rewindTo` would do. */
export async function previewRewind(actor: SessionActor, wish: RewindWish): Promise<Rewound> {
  const state = await actor.refresh();
  const checkpoint = await choose(actor, state, wish.turn);
  const { prompts, files } = await planOf(actor, { state, checkpoint, wish });
  const restored =
    files && (await checkpointsOf(actor).preview({ ...files, session: actor.id, cursor: state.seq }));
  return {
    checkpoint,
    turns: prompts.length,
    notUndone: await leftTheMachine(actor, checkpoint.before),
    ...(restored && { files: restored }),
  };
}

/** Goes back to before a turn. */
export async function rewindTo(actor: SessionActor, wish: RewindWish): Promise<Rewound> {
  let checkpoint = await choose(actor, await actor.refresh(), wish.turn).catch((error: unknown) => {
    throw wish.scope === "conversation" ? nothingToUndo() : error;
  });
  const { turnId } = checkpoint;
  const notUndone = await leftTheMachine(actor, checkpoint.before);
  const taken = await takeBackTurns(actor, async (state) => {
    checkpoint = await choose(actor, state, turnId);
    return await planOf(actor, { state, checkpoint, wish });
  });
  return {
    checkpoint,
    turns: taken.prompts.length,
    notUndone,
    ...(taken.files && { files: taken.files }),
  };
}

async function planOf(
  actor: SessionActor,
  plan: { readonly state: SessionState; readonly checkpoint: Checkpoint; readonly wish: RewindWish },
): Promise<TakeBack> {
  const { state, checkpoint, wish } = plan;
  const { scope, paths, force } = wish;
  const prompts = scope === "files" ? [] : await promptsSince(actor, state, checkpoint);
  if (scope === "conversation" && prompts.length === 0) throw nothingToUndo();
  if (scope === "conversation") return { prompts };
  if (checkpoint.files?.dropped === true)
    throw new HostError(
      "not_found",
      `The files of turn ${checkpoint.number} were given up for room (checkpoints.max_bytes): only the conversation can go back to before it.`,
    );
  checkpointsOf(actor);
  const files: TakeBack["files"] = {
    after: checkpoint.before,
    label: `before turn ${checkpoint.number}`,
    ...(paths && { paths: paths.map((path) => absolutePath(path, state.cwd)) }),
    ...(force === true && { force }),
  };
  return { prompts, files };
}

/** A path as people write it, from the workspace on. */
const absolutePath = (path: string, cwd: string): string =>
  path.startsWith("/") ? path : `${cwd}/${path.replace(/^(?:\.\/)+/, "")}`;

async function promptsSince(
  actor: SessionActor,
  state: SessionState,
  { before, kind }: Checkpoint,
): Promise<readonly PastPrompt[]> {
  if (kind !== "turn") return [];
  const all = await promptsOf(actor, state, Infinity);
  return all.filter((prompt) => prompt.before >= before);
}

/** @throws HostError `not_found` */
async function choose(actor: SessionActor, state: SessionState, turn: TurnChoice): Promise<Checkpoint> {
  const places = await placesOf(actor, state);
  const found = places.find(
    ({ number, turnId, promptId }) => number === turn || turnId === turn || promptId === turn,
  );
  if (found !== undefined) return found;
  const known = places.length === 0 ? "There is none yet." : `There are 1 to ${places.length}.`;
  throw new HostError("not_found", `There is no turn ${turn} to go back to. ${known}`, {
    details: { subject: String(turn) },
  });
}

async function placesOf(actor: SessionActor, state: SessionState): Promise<readonly Checkpoint[]> {
  const { checkpoints } = actor.services;
  const prompts = await promptsOf(actor, state, Infinity);
  const turns = new Map(
    ((await checkpoints?.turns(actor.id)) ?? []).map((files) => [files.turnId, files] as const),
  );
  const places = prompts.map(({ prompt, turnId, before, at }) => {
    const files = turns.get(turnId);
    turns.delete(turnId);
    const text = promptText(prompt.parts);
    return { turnId, kind: "turn" as const, before, at, text, promptId: prompt.id, ...(files && { files }) };
  });
  const gone = turns.size === 0 ? new Map<string, string>() : await takenBackTexts(actor, state);
  const others = [...turns.values()].map((files) => ({
    turnId: files.turnId,
    kind: files.turnId.startsWith(REWIND) ? ("rewind" as const) : ("taken_back" as const),
    before: files.cursor - 1,
    at: files.at,
    text: gone.get(files.turnId) ?? "",
    files,
  }));
  return [...places, ...others]
    .sort((a, b) => a.before - b.before)
    .map((place, index) => ({ ...place, number: index + 1 }));
}

/** The prompts of turns that are no part of the conversation any more, by turn. */
async function takenBackTexts(
  { id, services }: SessionActor,
  state: SessionState,
): Promise<ReadonlyMap<string, string>> {
  const prompts = await lastPrompts(services.store, { id, state, count: Infinity, takenBack: true });
  return new Map(prompts.map(({ turnId, prompt }) => [turnId, promptText(prompt.parts)]));
}

/** @throws HostError `not_found` when files are not kept */
function checkpointsOf({ services }: SessionActor): Checkpoints {
  if (services.checkpoints === undefined) throw noCheckpoints();
  return services.checkpoints;
}
