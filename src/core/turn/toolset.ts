import type { Platform } from "../events/prompt.ts";
import type { Policy } from "../ports/policy.ts";
import type { Services } from "../ports/services.ts";
import type { SessionState } from "../state/state.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { AnyTool, OfferedTo, Toolset } from "../ports/tool.ts";

/** A webhook's sender is a stranger: its runs only look things up. People in chats and in the app get no files and no commands. */
const PLATFORM_TOOLSETS: Readonly<Partial<Record<Platform, readonly string[]>>> = {
  webhook: ["web", "vision"],
  chat: ["web", "vision", "memory", "kb", "clarify"],
  app: ["web", "vision", "memory", "kb", "clarify"],
};

/** Which toolsets a session has: its own choice, else the owner's for the platform, else the platform's default. */
export function enabledToolsets(
  all: readonly Toolset[],
  platform: Platform,
  choice: {
    readonly session?: readonly string[] | undefined;
    readonly persona?: readonly string[] | undefined;
    readonly configured?: readonly string[] | undefined;
  },
): readonly Toolset[] {
  const allowed = choice.configured ?? PLATFORM_TOOLSETS[platform];
  const possible = allowed === undefined ? all : all.filter((set) => covers(allowed, set.name));
  // A session and its persona may leave toolsets out, but never get one that the platform does not have.
  const narrower = [choice.session, choice.persona].filter((names) => names !== undefined);
  return possible.filter((set) => narrower.every((names) => covers(names, set.name)));
}

/** The owner's choice of toolsets for a session: of its chat platform, else of its platform. */
export const configuredToolsets = (
  { toolsets, chatToolsets }: Pick<Policy, "toolsets" | "chatToolsets">,
  { platform, source }: Pick<SessionState, "platform" | "source">,
): readonly string[] | undefined =>
  (platform === "chat" ? chatToolsets[source] : undefined) ?? toolsets[platform];

/** The toolsets that a session has now, without those that its clients bring. */
export const sessionToolsets = (
  { toolsets, policy }: Pick<Services, "toolsets" | "policy">,
  state: Pick<SessionState, "platform" | "source" | "persona"> & {
    readonly settings: Pick<SessionState["settings"], "toolsets">;
  },
): readonly Toolset[] =>
  enabledToolsets(toolsets(), state.platform, {
    session: state.settings.toolsets,
    persona: state.persona?.toolsets,
    configured: configuredToolsets(policy(), state),
  });

/** `mcp` stands for every `mcp:<server>`. */
const covers = (names: readonly string[], name: string): boolean =>
  names.includes(name) || names.some((each) => name.startsWith(`${each}:`));

/** The tools of a toolset that can be used as it is configured. */
export const usableTools = ({ tools, configured, usable = [] }: Toolset): readonly AnyTool[] =>
  configured ? tools : tools.filter(({ name }) => usable.includes(name));

/** Those of them that a session has. */
export const offeredTools = (set: Toolset, session: OfferedTo): readonly AnyTool[] =>
  usableTools(set).filter((tool) => tool.offered?.(session) ?? true);

/** The tools of a session's toolsets by name; the first of two with one name stays. */
export function toolsByName(toolsets: readonly Toolset[], session: OfferedTo): ReadonlyMap<string, AnyTool> {
  const table = new Map<string, AnyTool>();
  for (const set of toolsets)
    for (const tool of offeredTools(set, session)) if (!table.has(tool.name)) table.set(tool.name, tool);
  return table;
}

const SPECS = new WeakMap<AnyTool, ToolSpec>();
const LISTS = new WeakMap<ReadonlyMap<string, AnyTool>, readonly ToolSpec[]>();

/** The tools as models are told of them; the same table gives the same array, and the same tool in any table the same object. */
export function toolSpecs(tools: ReadonlyMap<string, AnyTool>): readonly ToolSpec[] {
  const known = LISTS.get(tools);
  if (known !== undefined) return known;
  const specs = Array.from(tools.values(), specOf);
  LISTS.set(tools, specs);
  return specs;
}

function specOf(tool: AnyTool): ToolSpec {
  const known = SPECS.get(tool);
  if (known !== undefined) return known;
  const spec: ToolSpec = {
    name: tool.name,
    description: tool.description,
    // Made of the tool's schema, which takes longer than the rest of a request: only for a model that looks at it.
    get parameters() {
      return tool.parameters;
    },
  };
  SPECS.set(tool, spec);
  return spec;
}
