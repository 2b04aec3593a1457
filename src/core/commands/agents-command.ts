import { HostError } from "../../shared/errors/host-error.ts";
import type { ActiveSubagent } from "../subagents/subagent-manager.ts";
import { type CommandContext, defineCommands, done } from "./slash-command.ts";
import { formatAge } from "../../shared/text/format.ts";

const USAGE = "Usage: /agents [pause|resume|stop <id>]";

/** The command that shows the subagents and tasks of this process, and stops or pauses them. */
export const AGENTS_COMMAND = defineCommands("Session", [
  {
    name: "agents",
    aliases: ["tasks"],
    args: "[pause|resume|stop <id>]",
    description: "Show subagents and background tasks, or stop them",
    async run(context, argument) {
      const { host, session } = context;
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
          if (!subagents.interrupt(id)) await stopTask(context, id);
          return done(`Stopping ${id}.`);
        default:
          throw new HostError("command_usage", USAGE);
      }
    },
  },
]);

/** @throws HostError `not_found` */
async function stopTask({ host, session, from }: CommandContext, id: string): Promise<void> {
  const task = session?.state.background.find(({ taskId }) => taskId === id);
  if (task === undefined)
    throw new HostError("not_found", `Nobody of the name ${id} works here. /agents lists who does.`);
  await (await host.session(task.childId)).interrupt({ from });
}

function agentLine(agent: ActiveSubagent, now: number): string {
  const { subagentId, depth, goal, status, toolCalls, lastTool, startedAt, sessionId } = agent;
  const tool = lastTool === undefined ? "" : `, last ${lastTool}`;
  const doing = `${status}, ${toolCalls} tool calls${tool}, ${formatAge(now - startedAt)}`;
  return `${"  ".repeat(depth - 1)}${subagentId}  ${goal} (${doing}; session ${sessionId})`;
}
