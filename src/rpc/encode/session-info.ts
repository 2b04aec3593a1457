import {
  type Model,
  type Session,
  type SessionState,
  type SessionStatus,
  enabledToolsets,
  modeOf,
  usableTools,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { displaySettings } from "../gateway/display.ts";
import type { SessionInfo } from "../protocol/session-info.ts";
import { encodeStatus, liveStatus } from "./status.ts";
import { encodeSessionUsage } from "./usage.ts";

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
    personality: displaySettings(config.values()).personality,
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
  };
}

/** The files of the session's workspace that are not read because nobody trusts its folder. */
function untrusted({ ports }: GatewayContext, { cwd }: SessionState): SessionInfo["untrusted"] {
  const left = cwd === "" ? undefined : ports.trust?.leftOut(cwd);
  return left === undefined ? undefined : { ...left, files: [...left.files] };
}

/** The session's model, or why there is none. */
export function modelOf(
  { host }: GatewayContext,
  { settings }: Pick<SessionState, "settings">,
): { readonly model?: Model; readonly problem?: HostError } {
  try {
    return { model: host.services.models().resolve(settings) };
  } catch (thrown) {
    return { problem: toHostError(thrown) };
  }
}

function toolsOf({ host }: GatewayContext, { platform, settings }: SessionState): Record<string, string[]> {
  const { services } = host;
  const configured = services.policy().toolsets[platform];
  const enabled = enabledToolsets(services.toolsets(), platform, { session: settings.toolsets, configured });
  const usable = enabled.filter((set) => set.configured || usableTools(set).length > 0);
  return Object.fromEntries(usable.map((set) => [set.name, usableTools(set).map(({ name }) => name)]));
}

const copied = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]]));
