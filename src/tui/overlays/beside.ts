import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import type { Queued } from "../state/view-state.ts";
import { age } from "../text/figures.ts";
import { fillList, showList } from "./open.ts";
import type { ListItem } from "./overlay.ts";

const AGENT_KEYS = "Enter opens its session · Ctrl+K stops it · Ctrl+P holds new ones back · Esc closes";

/** The subagents that run, of all sessions. */
export async function openAgents(client: Client): Promise<void> {
  showList(client, "agents", { title: "Subagents", keys: AGENT_KEYS });
  const { active, paused } = await client.desk.request("delegation.status", {});
  const title = paused ? "Subagents (new ones are held back)" : "Subagents";
  fillList(client, "agents", { items: agentItems(active, client.now()), title });
}

function agentItems(active: Result<"delegation.status">["active"], now: number): readonly ListItem[] {
  return active.map(({ subagent_id, depth, goal, status, model, tool_count, last_tool, started_at }) => ({
    id: subagent_id,
    label: `${"  ".repeat(Math.max(0, depth - 1))}${goal}`,
    detail: [
      status,
      age(started_at * 1000, now),
      tool_count === 0 ? "" : `${tool_count} calls`,
      last_tool ?? "",
      model ?? "",
    ]
      .filter((each) => each !== "")
      .join(" · "),
    search: goal,
    current: false,
  }));
}

/** What waits behind the running turn. */
export function openQueue(client: Client): void {
  const keys = "Enter edits · Ctrl+D drops · Alt+↑ Alt+↓ move · Esc closes";
  showList(client, "queue", { title: "Queued prompts", keys });
  fillList(client, "queue", queueItems(client.store.state.view.queue));
}

export const queueItems = (queue: readonly Queued[]): readonly ListItem[] =>
  queue.map(({ id, text, held }) => ({
    id,
    label: text,
    detail: held ? "held" : "",
    search: text,
    current: false,
  }));
