import { defined } from "../../shared/json/defined.ts";
import type { SessionActor } from "../session/session-actor.ts";
import { NO_USAGE } from "../events/usage.ts";

type Find = (id: string) => Promise<SessionActor | undefined>;

/**
 * Settles what stayed open when a process died that drove a session: the session's own subagents, and the work that
 * it did for another one. Whoever asked for that learns that it was interrupted.
 */
export async function settleOrphans(actor: SessionActor, find: Find): Promise<void> {
  const { subagents, parentId, turn } = await actor.refresh();
  for (const { childId } of subagents) {
    const child = await find(childId);
    await child?.refresh();
    await endSubagent(actor, childId, child);
  }
  if (parentId === undefined || turn !== undefined) return;
  const parent = await find(parentId);
  if (parent === undefined) return;
  await parent.refresh();
  await endSubagent(parent, actor.id, actor);
  await endBackground(parent, actor);
}

async function endSubagent(
  parent: SessionActor,
  childId: string,
  child: SessionActor | undefined,
): Promise<void> {
  const running = parent.log.state.subagents.find((each) => each.childId === childId);
  if (running === undefined) return;
  const { startedAt, model: _model, ...ref } = running;
  const durationMs = Math.max(0, (child?.log.state.activeAt ?? startedAt) - startedAt);
  await parent.run("subagent", {
    event: {
      type: "subagent.complete",
      ...ref,
      status: "interrupted",
      summary: "The process that ran it died.",
      durationMs,
      toolCalls: child?.log.state.counts.toolCalls ?? 0,
      usage: child?.log.state.usage ?? NO_USAGE,
      filesRead: [],
      filesWritten: [],
      outputTail: [],
      ...defined({ sensitive: child?.log.state.sensitive }),
    },
  });
}

async function endBackground(parent: SessionActor, child: SessionActor): Promise<void> {
  const task = parent.log.state.background.find(({ childId }) => childId === child.id);
  if (task === undefined) return;
  const { taskId } = task;
  const text = "error: the process that ran this task died";
  const { usage } = child.log.state;
  await parent.run("background", {
    event: { type: "background.complete", taskId, text, outcome: "interrupted", usage },
  });
}
