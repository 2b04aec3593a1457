import { defined } from "../../shared/json/defined.ts";
import { hostPattern } from "../questions/reached-hosts.ts";
import { modelChoice } from "../ports/persona.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { SettingsPatch } from "../events/events.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { ModelRef, Models } from "../ports/model.ts";
import type { Policy } from "../ports/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { ParentCall } from "../turn/subagent-port.ts";
import type { SubagentTask } from "../ports/tool.ts";

/** Toolsets that no subagent has: it cannot reach people, and its parent decides what to remember. */
const NEVER = new Set(["clarify", "memory"]);

const INSTRUCTIONS = `You are a subagent: another agent gave you one task and waits for your answer.
You see nothing of its conversation, and you cannot ask anybody a question.
Do this task and nothing beyond it. End with an answer that stands by itself: what you found or did, which files you changed, and what is left open or went wrong. Your last message is all that the other agent gets.`;

/**
 * Plans the session in which a subagent works: its parent's workspace and permissions, and never more tools.
 *
 * @throws HostError `limit_exceeded` below the deepest level, `invalid_params` for toolsets that there are not
 */
export function planChildSession(
  parent: { readonly call: ParentCall; readonly state: SessionState },
  task: SubagentTask,
  { delegation, models }: { readonly delegation: Policy["delegation"]; readonly models: Models },
): { readonly open: OpenOptions; readonly depth: number; readonly model: ModelRef } {
  const { call, state } = parent;
  const depth = state.depth + 1;
  if (depth > delegation.maxDepth) throw tooDeep(delegation.maxDepth);
  const { reasoning, fast, mode } = state.settings;
  const { provider, model } = modelChoice(state);
  const own = defined({ provider, model });
  const chosen: ModelRef = delegation.model === undefined ? own : models.parse(delegation.model);
  const instructions = [state.settings.instructions, state.turn?.prompt.instructions, INSTRUCTIONS];
  const settings: SettingsPatch = {
    ...chosen,
    ...defined({ reasoning, fast, mode, persona: state.persona?.name }),
    instructions: instructions.filter((text) => text).join("\n\n"),
    toolsets: childToolsets(call.toolsets, task.toolsets, depth < delegation.maxDepth),
  };
  const { platform, cwd, roots, sensitive, user } = state;
  // Nobody writes a subagent's prompts but its parent: the people who named a host did it there.
  const allowed = [...state.allowed, ...state.namedHosts.map(hostPattern)];
  const parentId = call.sessionId;
  const place = { platform, source: "subagent", cwd, roots, parentId, depth };
  const open: OpenOptions = { ...place, allowed, settings, ...defined({ sensitive, user }) };
  return { open, depth, model: chosen };
}

/** Makes the prompt with which a subagent begins. */
export const subagentPrompt = ({ goal, context = "" }: SubagentTask): string =>
  context.trim() === "" ? goal : `${goal}\n\nContext:\n${context}`;

function childToolsets(
  parent: readonly string[],
  wanted: readonly string[] | undefined,
  mayDelegate: boolean,
): readonly string[] {
  const possible = parent.filter((name) => !NEVER.has(name) && (mayDelegate || name !== "delegate"));
  if (wanted === undefined) return possible;
  const unknown = wanted.filter((name) => !possible.includes(name));
  if (unknown.length === 0) return possible.filter((name) => wanted.includes(name));
  throw new HostError(
    "invalid_params",
    `A subagent cannot have the toolset ${unknown.join(", ")}. It can have: ${possible.join(", ") || "none"}.`,
  );
}

const tooDeep = (maxDepth: number): HostError =>
  new HostError(
    "limit_exceeded",
    maxDepth === 0
      ? "There are no subagents here: delegation.max_depth is 0. Do the task yourself."
      : `A subagent of level ${maxDepth} has none of its own (delegation.max_depth). Do the task yourself.`,
    { details: { subject: "delegation.max_depth" } },
  );
