import { defined } from "../../shared/json/defined.ts";
import type { EventNamed, Row, SettingsPatch } from "../events/events.ts";
import { NO_USAGE } from "../events/usage.ts";
import type { SessionState, Settings } from "./state.ts";

/** A session of its own. */
export function start(state: SessionState, event: EventNamed<"session.start">, row: Row): SessionState {
  return {
    ...state,
    createdAt: row.at,
    platform: event.platform,
    source: event.source,
    cwd: event.cwd,
    roots: event.roots,
    depth: event.depth ?? 0,
    hidden: event.hidden ?? false,
    ...defined({ parentId: event.parentId, sensitive: event.sensitive, user: event.user, home: event.home }),
    settings: patchSettings({}, event.settings ?? {}),
  };
}

/** A branch is a new session with its parent's past. */
export function branch(state: SessionState, event: EventNamed<"session.branch">, row: Row): SessionState {
  return {
    ...withPastOnly(state, row),
    // The person who named them is the same.
    namedHosts: state.namedHosts,
    contextTokens: state.contextTokens,
    parentId: event.parentId,
    depth: 0,
    title: event.title,
    titleBy: event.title === "" ? "none" : "auto",
    hidden: event.hidden ?? state.hidden,
    ...defined({ source: event.source, user: event.user }),
  };
}

/** A new session with the past of another: what belongs to the other's present is not taken along. */
export function withPastOnly(state: SessionState, row: Row): SessionState {
  const {
    turn: _turn,
    endReason: _reason,
    endedAt: _endedAt,
    parked: _parked,
    archived: _archived,
    ...past
  } = state;
  return {
    ...past,
    createdAt: row.at,
    settings: patchSettings(state.settings, { yolo: false }),
    usage: NO_USAGE,
    queue: [],
    questions: [],
    allowed: [],
    namedHosts: [],
    background: [],
    processes: [],
    untold: [],
    subagents: [],
    contextTokens: 0,
  };
}

const PATCHED = [
  "provider",
  "model",
  "reasoning",
  "fast",
  "mode",
  "instructions",
  "toolsets",
  "budget",
  "persona",
] as const;

/** Settings after a change. */
export function patchSettings(settings: Settings, patch: SettingsPatch): Settings {
  const next: Record<string, unknown> = { ...settings };
  if (patch.yolo === true) next["mode"] = "all";
  if (patch.yolo === false && settings.mode === "all") delete next["mode"];
  for (const key of PATCHED) {
    const value = patch[key];
    if (value === null) delete next[key];
    else if (value !== undefined) next[key] = value;
  }
  return next;
}
