import { HostError } from "../errors.ts";
import type { ActiveSubagent } from "../subagents/subagents.ts";
import { type CommandContext, type CommandOutcome, done, type SlashCommand } from "./command.ts";
import { ageOf } from "./words.ts";

const USAGE = "Usage: /agents [pause|resume|stop <id>]";

/** Shows who works for sessions of this process, and stops or pauses them. */
export const AGENTS_COMMAND: SlashCommand = {
  name: "agents",
  aliases: ["tasks"],
  args: "[pause|resume|stop <id>]",
  description: "Show subagents and background tasks, or stop them",
  category: "Session",
  run: (context, argument) => Promise.resolve(agents(context, argument)),
};

function agents({ host, session }: CommandContext, argument: string): CommandOutcome {
  const { subagents, services } = host;
  const [action = "", id = ""] = argument.split(/\s+/);
  switch (action) {
    case "": {
      const now = services.clock.now();
      const background = session?.state.background ?? [];
      const lines = [
        ...subagents.active().map((each) => agentLine(each, now)),
        ...background.map(({ taskId, text }) => `${taskId}  in the background: ${text}`),
        ...(subagents.paused ? ["New subagents wait: /agents resume lets them begin."] : []),
      ];
      return done(lines.length === 0 ? "Nobody works beside the session." : lines.join("\n"));
    }
    case "pause":
    case "resume":
      subagents.paused = action === "pause";
      return done(subagents.paused ? "New subagents wait from now on." : "Subagents begin again.");
    case "stop":
      if (id === "") throw new HostError("command_usage", USAGE);
      if (!subagents.interrupt(id))
        throw new HostError("not_found", `No subagent ${id} runs in this process. /agents lists them.`);
      return done(`Stopping ${id}.`);
    default:
      throw new HostError("command_usage", USAGE);
  }
}

function agentLine(agent: ActiveSubagent, now: number): string {
  const { subagentId, depth, goal, status, toolCalls, lastTool, startedAt, sessionId } = agent;
  const tool = lastTool === undefined ? "" : `, last ${lastTool}`;
  const doing = `${status}, ${toolCalls} tool calls${tool}, ${ageOf(now - startedAt)}`;
  return `${"  ".repeat(depth - 1)}${subagentId}  ${goal} (${doing}; session ${sessionId})`;
}
