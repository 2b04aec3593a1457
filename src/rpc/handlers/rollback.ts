import { type Checkpoint, type Rewound, rewoundText } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Result } from "../protocol/methods.ts";
import type { ROLLBACK_METHODS } from "../protocol/rollback.ts";
import type { HandlersOf } from "./handler.ts";

const NO_CHECKPOINTS =
  "Files are not kept here (checkpoints.enabled in config.yaml). Use version control to go back; /undo takes back turns of the conversation.";
const MESSAGE_CHARACTERS = 200;

export const ROLLBACK_HANDLERS: HandlersOf<typeof ROLLBACK_METHODS> = {
  async "rollback.list"({ session_id }, { gateway }) {
    const session = await gateway.session(session_id);
    const enabled = gateway.host.services.checkpoints !== undefined;
    return { enabled, checkpoints: enabled ? (await session.checkpoints()).map(encodeCheckpoint) : [] };
  },

  async "rollback.diff"({ session_id, hash, limit }, { gateway }) {
    const session = await gateway.session(session_id);
    if (gateway.host.services.checkpoints === undefined)
      throw new HostError("store_unavailable", NO_CHECKPOINTS);
    const turn = turnOf(hash);
    const place = (await session.checkpoints()).find(
      ({ number, turnId, promptId }) => number === turn || turnId === turn || promptId === turn,
    );
    return { stat: statOf(place), diff: await session.checkpointDiff(turn, limit) };
  },

  async "rollback.restore"({ session_id, hash, file_path, scope, force, preview }, { gateway }) {
    const session = await gateway.session(session_id);
    const wanted = scope ?? (file_path === undefined ? "both" : "files");
    if (wanted !== "conversation" && gateway.host.services.checkpoints === undefined)
      return { success: false, error: NO_CHECKPOINTS, reason: "disabled" };
    const paths = file_path === undefined ? {} : { paths: [file_path] };
    const wish = { turn: turnOf(hash), scope: wanted, force, ...paths };
    const rewound = preview ? await session.previewRewind(wish) : await session.rewind(wish);
    return encodeRewound(rewound, preview);
  },
};

/** A number may come as text. */
const turnOf = (hash: string | number): string | number =>
  typeof hash === "string" && /^\d{1,9}$/.test(hash) ? Number(hash) : hash;

function encodeCheckpoint(place: Checkpoint): Result<"rollback.list">["checkpoints"][number] {
  const { turnId, number, kind, at, text, promptId, files } = place;
  return {
    hash: turnId,
    timestamp: new Date(at).toISOString(),
    message: text.slice(0, MESSAGE_CHARACTERS).toWellFormed(),
    number,
    kind,
    ...defined({ prompt_id: promptId }),
    files: (files?.files ?? []).map(({ path, change, added, removed, notKept }) => ({
      path,
      change,
      added,
      removed,
      ...defined({ not_kept: notKept }),
    })),
    more_files: files?.more ?? 0,
    added: files?.added ?? 0,
    removed: files?.removed ?? 0,
    restorable: files?.dropped !== true,
    notes: [...(files?.notes ?? [])],
  };
}

function statOf(place: Checkpoint | undefined): string {
  const files = place?.files;
  if (files === undefined) return "";
  const lines = files.files.map(({ path, added, removed }) => ` ${path} | +${added} -${removed}`);
  const more = files.more === 0 ? [] : [` and ${files.more} more`];
  return [...lines, ...more].join("\n");
}

function encodeRewound(rewound: Rewound, isPreview: boolean): Result<"rollback.restore"> {
  const { checkpoint, turns, files, notUndone } = rewound;
  const { restored = [], removed = [], conflicts = [], failed = [] } = files ?? {};
  const isDone = turns > 0 || restored.length > 0 || conflicts.length + failed.length === 0;
  return {
    success: isDone,
    ...(isDone ? {} : { error: rewoundText(rewound), reason: conflicts.length > 0 ? "conflict" : "failed" }),
    message: isPreview ? "Nothing was changed yet." : rewoundText(rewound),
    restored_to: checkpoint.turnId,
    history_removed: turns,
    restored: [...restored],
    removed: [...removed],
    conflicts: conflicts.map((each) => ({ ...each })),
    failed: failed.map((each) => ({ ...each })),
    not_undone: [...notUndone],
    prompt: turns > 0 ? checkpoint.text : "",
  };
}
