import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import type { Queued } from "../state/view-state.ts";
import { joinFacts } from "../text/facts.ts";
import { age } from "../text/figures.ts";
import { historyText } from "./history.ts";
import { fillList, showList } from "./open.ts";
import type { ListItem } from "./overlay.ts";

const AGENT_KEYS =
  "Enter opens its session · Ctrl+O what it did · Ctrl+K stops it · Ctrl+P holds new ones back · Esc closes";

/** The subagents that run, of all sessions. */
export async function openAgents(client: Client): Promise<void> {
  showList(client, "agents", { title: "Subagents", keys: AGENT_KEYS });
  const { active, paused } = await client.controller.request("delegation.status", {});
  const title = paused ? "Subagents (new ones are held back)" : "Subagents";
  fillList(client, "agents", { items: agentItems(active, client.now()), title });
}

function agentItems(active: Result<"delegation.status">["active"], now: number): readonly ListItem[] {
  return active.map(({ subagent_id, depth, goal, status, model, tool_count, last_tool, started_at }) => ({
    id: subagent_id,
    label: `${"  ".repeat(Math.max(0, depth - 1))}${goal}`,
    detail: joinFacts(
      status,
      age(started_at * 1000, now),
      tool_count === 0 ? "" : `${tool_count} calls`,
      last_tool ?? "",
      model ?? "",
    ),
    search: goal,
  }));
}

/** Shows what a subagent was asked and has done so far. */
export async function readAgent(client: Client, id: string): Promise<void> {
  const { active } = await client.controller.request("delegation.status", {});
  const agent = active.find(({ subagent_id }) => subagent_id === id);
  if (agent === undefined) return client.controller.note("This subagent is done.");
  const { goal, status, model, tool_count, started_at, child_session_id: session_id } = agent;
  const { messages } = await client.controller.request("session.history", { session_id, limit: LATEST });
  const since = `for ${age(started_at * 1000, client.now())}`;
  const facts = joinFacts(status, since, `${tool_count} calls`, model ?? "");
  const text = `${facts}\n\n${historyText(messages)}`;
  client.dialogs.read({ title: goal, text, format: "markdown" });
}

/** Messages of a subagent that are shown; its session has all of them. */
const LATEST = 100;

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
  }));
