import {
  modelChoice,
  NO_PERSONA,
  type Model,
  type Session,
  type SessionState,
  type SessionStatus,
  modeOf,
  sessionToolsets,
  offeredTools,
  usableTools,
  promptText,
  interruptionOf,
  type TextHit,
  type SessionRecord,
  statusOf,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { displaySettings } from "../gateway/display.ts";
import type { SessionInfo } from "../protocol/session-info.ts";
import { encodeStatus, liveStatus } from "./status.ts";
import { encodeSessionUsage } from "./usage.ts";
import { seqAt } from "../gateway/event-numbers.ts";
import type { Result } from "../protocol/methods.ts";
import { seconds } from "./time.ts";
import type { LiveListing, SessionListing } from "../protocol/sessions.ts";
import type { z } from "zod";

/** The number that clients of this protocol ask for before they trust its newer fields. */
const CONTRACT = 3;

/** The session as status lines show it, as it is now; or as it is when it does what `as` says. */
export async function sessionInfo(
  gateway: GatewayContext,
  session: Session,
  as?: SessionStatus,
): Promise<SessionInfo> {
  const { state } = session;
  const { model, problem } = modelOf(gateway, state);
  const status = as ?? (await liveStatus(gateway, session));
  const { about, config, files, mcp, skills } = gateway.ports;
  return {
    model: model?.name ?? state.settings.model ?? "",
    provider: model?.provider ?? state.settings.provider ?? "",
    reasoning_effort: state.settings.reasoning ?? "",
    service_tier: state.settings.fast === true ? "priority" : "",
    fast: state.settings.fast === true,
    yolo: state.settings.mode === "all",
    mode: modeOf(state.settings, gateway.host.services.policy().approvals),
    approval_mode: gateway.host.services.policy().approvals.mode,
    tools: toolsOf(gateway, state),
    skills: copied(skills?.list(state.cwd) ?? {}),
    mcp_servers: [...(mcp?.servers() ?? [])],
    cwd: state.cwd,
    branch: state.cwd === "" ? "" : await files.branch(state.cwd),
    personality: personaOf(state) ?? displaySettings(config.values()).personality,
    running: status.status !== "idle",
    ...encodeStatus(status),
    queued: state.queue.length,
    title: state.title,
    stored_session_id: session.id,
    desktop_contract: CONTRACT,
    version: about.version,
    release_date: "",
    update_behind: null,
    update_command: "",
    usage: encodeSessionUsage(state, model),
    profile_name: about.profile,
    ...defined({ credential_warning: problem?.message, untrusted: untrusted(gateway, state) }),
    ...defined({ sandbox: sandboxOf(gateway, session) }),
  };
}

function personaOf({ settings, persona }: SessionState): string | undefined {
  const name = settings.persona ?? persona?.name;
  return name === NO_PERSONA ? "" : name;
}

function sandboxOf({ ports }: GatewayContext, { id }: Session): SessionInfo["sandbox"] {
  const known = ports.sandbox?.known(id);
  if (known === undefined) return undefined;
  return known.why === "" ? { commands: known.commands } : known;
}

/** The files of the session's workspace that are not read because nobody trusts its folder. */
function untrusted({ ports }: GatewayContext, { cwd }: SessionState): SessionInfo["untrusted"] {
  const left = cwd === "" ? undefined : ports.trust?.leftOut(cwd);
  return left === undefined ? undefined : { ...left, files: [...left.files] };
}

/** The session's model, or why there is none. */
export function modelOf(
  { host }: GatewayContext,
  state: Pick<SessionState, "settings" | "persona">,
): { readonly model?: Model; readonly problem?: HostError } {
  try {
    return { model: host.services.models().resolve(modelChoice(state)) };
  } catch (thrown) {
    return { problem: toHostError(thrown) };
  }
}

function toolsOf({ host }: GatewayContext, state: SessionState): Record<string, string[]> {
  const enabled = sessionToolsets(host.services, state);
  const usable = enabled.filter((set) => set.configured || usableTools(set).length > 0);
  return Object.fromEntries(
    usable.map((set) => [set.name, offeredTools(set, state).map(({ name }) => name)]),
  );
}

const copied = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]]));

/** Everything about a session's present, for programs. */
export function encodeSessionState(
  { id, state, cursor }: Session,
  { status, model }: { readonly status: SessionStatus; readonly model: Model | undefined },
): Result<"session.status">["state"] {
  const { turn, lastTurn, queue, todos } = state;
  const doing = status.status === "working" ? status.doing : status.status;
  return {
    session_id: id,
    title: state.title,
    ...encodeStatus(status),
    running: turn !== undefined && status.status !== "idle",
    seq: seqAt(cursor),
    ...(turn === undefined
      ? {}
      : { turn: { turn_id: turn.turnId, started_at: seconds(turn.startedAt), doing } }),
    ...(lastTurn === undefined
      ? {}
      : {
          last_turn: {
            turn_id: lastTurn.turnId,
            outcome: lastTurn.outcome,
            ...defined({ error: lastTurn.error?.message, reason: lastTurn.reason }),
          },
        }),
    queue: queue.map(({ prompt, queuedAt, held }) => ({
      prompt_id: prompt.id,
      text: promptText(prompt.parts),
      queued_at: seconds(queuedAt),
      held,
      from: prompt.from.surface,
    })),
    todos: todos.map((todo) => ({ ...todo })),
    allowed: [...state.allowed],
    ...encodeBeside(state),
    usage: encodeSessionUsage(state, model),
    model: model?.name ?? "",
    provider: model?.provider ?? "",
    cwd: state.cwd,
    created_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
  };
}

/** A stored session, as lists show it. */
export function encodeListing(
  gateway: GatewayContext,
  { id, state, owner, damaged }: SessionRecord,
): z.output<typeof SessionListing> {
  const { status, waiting } = encodeStatus(statusOf(state, owner));
  return {
    id,
    title: state.title,
    preview: state.preview,
    started_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
    message_count: state.counts.messages,
    source: state.source,
    platform: state.platform,
    cwd: state.cwd,
    model: modelOf(gateway, state).model?.name ?? state.settings.model ?? "",
    people: [...state.people],
    status,
    ...defined({ waiting, parent_id: state.parentId, interrupted: interruptionOf(state) }),
    damaged,
  };
}

/** A session that a search found, with the place. */
export function encodeHit(
  gateway: GatewayContext,
  { session, place, places }: TextHit,
): Result<"session.search">["hits"][number] {
  const { kind, seq, at, turnId, text, marks } = place;
  return {
    session: encodeListing(gateway, session),
    match: {
      kind,
      row_id: seq,
      timestamp: seconds(at),
      ...defined({ turn_id: turnId }),
      text,
      marks: marks.map(([from, to]) => [from, to]),
    },
    places,
  };
}

/** An open session, as the switcher shows it. */
export async function encodeLive(
  gateway: GatewayContext,
  session: Session,
  current: string | undefined,
): Promise<z.output<typeof LiveListing>> {
  const { id, state } = session;
  const opened = gateway.sessions.get(id);
  return {
    id,
    session_key: id,
    current: id === current,
    ...encodeStatus(await liveStatus(gateway, session)),
    title: state.title,
    preview: state.preview,
    model: modelOf(gateway, state).model?.name ?? "",
    message_count: state.counts.messages,
    started_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
    queued: state.queue.length,
    clients: opened?.followers ?? 0,
    source: state.source,
    platform: state.platform,
    cwd: state.cwd,
    ...defined({ interrupted: interruptionOf(state) }),
  };
}

/** What runs beside the turns of a session: its prompts and its commands in the background. */
export const encodeBeside = ({ background, processes }: SessionState) => ({
  background: background.map(({ taskId, text }) => ({ task_id: taskId, text })),
  processes: processes.map(({ processId, command, startedAt }) => ({
    process_id: processId,
    command,
    started_at: seconds(startedAt),
  })),
});
