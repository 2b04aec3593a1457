import { z } from "zod";
import type { Checkpoint, Rewound, Session } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { decode } from "../../server/decode.ts";
import { badRequest, HttpError } from "../../server/http-error.ts";

/** The body of `POST /api/sessions/{session_id}/rewind`. */
export const SessionRewind = z
  .looseObject({
    turn: z
      .union([z.string(), z.number()])
      .nullish()
      .meta({ description: "A turn by its number in the list, its id, or the id of its prompt." }),
    scope: z.string().nullish().meta({ description: "conversation, files or both, the default." }),
    paths: z.array(z.string()).nullish().meta({ description: "Only these files, whoever changed them." }),
    force: z.boolean().nullish().meta({ description: "Overwrites what somebody else changed meanwhile." }),
    preview: z.boolean().nullish().meta({ description: "Tells what would happen, and does nothing." }),
  })
  .meta({ title: "SessionRewind" });

const SCOPES = ["conversation", "files", "both"] as const;

/** The places to go back to, the oldest first. */
export async function encodeCheckpoints(session: Session) {
  const data = (await session.checkpoints()).map(encodeCheckpoint);
  return { object: "list", session_id: session.id, data };
}

/** What one turn did to files. */
export async function readCheckpointDiff(session: Session, given: string) {
  const diff = await session.checkpointDiff(turnOf(given));
  return { object: "agent.session.checkpoint.diff", session_id: session.id, turn: given, diff };
}

/** Goes back to before a turn. @throws HttpError 400 `missing_turn`, `invalid_scope` */
export async function rewindSession(session: Session, given: unknown) {
  const { turn, scope: wanted, paths, force, preview } = decode(SessionRewind, given);
  if (turn === undefined || turn === null || turn === "")
    throw badRequest("Missing 'turn': a number of the list, or an id.", "turn", "missing_turn");
  const scope = SCOPES.find((each) => each === (wanted ?? "both"));
  if (scope === undefined)
    throw badRequest("'scope' must be conversation, files or both.", "scope", "invalid_scope");
  const wish = {
    turn: typeof turn === "number" ? turn : turnOf(turn),
    scope,
    ...defined({ paths: paths ?? undefined, force: force ?? undefined }),
  };
  const rewound = preview === true ? await session.previewRewind(wish) : await session.rewind(wish);
  return encodeRewound(session.id, rewound, { scope, preview: preview === true });
}

const turnOf = (text: string): string | number => (/^\d{1,9}$/.test(text) ? Number(text) : text);

function encodeCheckpoint({ number, turnId, kind, at, text, promptId, files }: Checkpoint) {
  return {
    object: "agent.session.checkpoint",
    id: turnId,
    number,
    kind,
    created_at: at / 1000,
    text,
    ...defined({ prompt_id: promptId }),
    files: (files?.files ?? []).map(({ notKept, ...file }) => ({
      ...file,
      ...defined({ not_kept: notKept }),
    })),
    more_files: files?.more ?? 0,
    added: files?.added ?? 0,
    removed: files?.removed ?? 0,
    restorable: files?.dropped !== true,
    notes: files?.notes ?? [],
  };
}

function encodeRewound(
  sessionId: string,
  { checkpoint, turns, files, notUndone }: Rewound,
  how: { readonly scope: string; readonly preview: boolean },
) {
  return {
    object: "agent.session.rewind",
    session_id: sessionId,
    turn: encodeCheckpoint(checkpoint),
    ...how,
    turns_removed: turns,
    restored: files?.restored ?? [],
    removed: files?.removed ?? [],
    conflicts: files?.conflicts ?? [],
    failed: files?.failed ?? [],
    not_undone: notUndone,
  };
}

/** The turn before which a fork ends, as it was named. @throws HttpError 400 `invalid_turn` */
export function readForkPoint(given: unknown): string | number | undefined {
  if (given === undefined || given === null || given === "") return undefined;
  if (typeof given === "number") return given;
  if (typeof given === "string") return turnOf(given);
  throw new HttpError(400, "'before' must be a turn's number or id.", {
    code: "invalid_turn",
    param: "before",
  });
}
