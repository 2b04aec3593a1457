import { Attachments } from "../ports/attachment.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { Services } from "../ports/services.ts";
import type { AnyTool, Toolset } from "../ports/tool.ts";
import { modeOf } from "../questions/session-mode.ts";
import { PLAN_INSTRUCTIONS, PLAN_READ_ONLY, PLAN_TOOLSET } from "./plan-mode.ts";
import { configuredToolsets, enabledToolsets, toolSpecs, toolsByName } from "./toolset.ts";

/** The ports of a `RequestPreamble`. */
export interface RequestPreamblePorts {
  readonly writer: LogWriter;
  readonly services: Services;
}

interface Enabled {
  readonly key: readonly unknown[];
  readonly toolsets: readonly Toolset[];
  readonly table: ReadonlyMap<string, AnyTool>;
}

/** Of a turn without tools: what the session has stays as it is for the next one. */
const NO_TOOLS: Enabled = { key: [], toolsets: [], table: new Map() };

/** The beginning of every request of a session: its tools and its system prompt. */
export class RequestPreamble {
  /** The attachments of the session's clients; they bring tools, too. */
  readonly attachments = new Attachments();
  readonly #ports: RequestPreamblePorts;
  #enabled: Enabled | undefined;

  constructor(ports: RequestPreamblePorts) {
    this.#ports = ports;
  }

  /** The session's tools; the same table as long as nothing about them changed. */
  tools(): ReadonlyMap<string, AnyTool> {
    return this.#toolsets().table;
  }

  /** Names of the toolsets that some of the tools come from. */
  toolsetNames(): readonly string[] {
    return [...new Set(this.#toolsets().toolsets.map(({ name }) => name))];
  }

  /** The host's own prompt, then what session and turn add to it. */
  async system(): Promise<string> {
    const { system } = await this.beginning();
    return system;
  }

  /** The system prompt, and the tools that it speaks of. */
  async beginning(): Promise<Pick<ModelRequest, "system" | "tools">> {
    const { writer, services } = this.#ports;
    const { toolsets, table } = this.#toolsets();
    const { settings, persona, turn, depth, home } = writer.plannedState;
    const tools = toolSpecs(table);
    const base = await services.systemPrompt({
      id: writer.log.id,
      state: writer.plannedState,
      tools,
      toolsets,
    });
    const planning = this.#plans() ? (depth === 0 ? PLAN_INSTRUCTIONS : PLAN_READ_ONLY) : undefined;
    const without = home?.without === undefined ? undefined : withoutFiles(home.without);
    const added = [
      without,
      persona?.instructions,
      settings.instructions,
      turn?.prompt.instructions,
      planning,
    ];
    return { system: [base, ...added].filter((text) => text).join("\n\n"), tools };
  }

  #plans(): boolean {
    const { writer, services } = this.#ports;
    return modeOf(writer.plannedState.settings, services.policy().approvals) === "plan";
  }

  #toolsets(): Enabled {
    const { writer, services } = this.#ports;
    const { platform, source, settings, persona, turn, depth } = writer.plannedState;
    if (turn?.prompt.tools === "none") return NO_TOOLS;
    const configured = configuredToolsets(services.policy(), { platform, source });
    const lists = [services.toolsets(), ...this.attachments.toolsets()];
    const own = depth === 0 && this.#plans() ? [PLAN_TOOLSET] : [];
    const key = [own.length, platform, configured, settings.toolsets, persona?.toolsets?.join(), ...lists];
    const known = this.#enabled;
    const isSame = known?.key.length === key.length && known.key.every((part, index) => part === key[index]);
    if (known !== undefined && isSame) return known;
    const chosen = enabledToolsets(lists.flat(), platform, {
      session: settings.toolsets,
      persona: persona?.toolsets,
      configured,
    });
    const enabled = [...chosen, ...own];
    const table = toolsByName(enabled, { platform, source, depth });
    const toolsets = enabled.filter(({ tools }) => tools.some((tool) => table.get(tool.name) === tool));
    this.#enabled = { key, toolsets, table };
    return this.#enabled;
  }
}

const withoutFiles = (machine: string): string =>
  `The files that this conversation has worked with are on another machine (${machine}), which cannot be reached. You work without them: say so where it matters, and do not make them anew as if they were the same.`;
