import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { EventNamed } from "../events/events.ts";
import type { Origin } from "../events/prompt.ts";
import { submitPrompt } from "../session/submission.ts";
import { readEvents } from "../log/reader.ts";
import type { SessionActor } from "../session/session-actor.ts";
import type { TurnResult } from "../session/turn-waiters.ts";
import type { SubagentManager, SubagentManagerPorts } from "./subagent-manager.ts";

/**
 * Runs a prompt beside a session, with its model and tools but without its conversation. Resolves with the task's id
 * once it has begun; its end is a `background.complete` of the session, whatever happens.
 */
export async function runInBackground(
  { services, actor, open, subagents }: SubagentManagerPorts & { readonly subagents: SubagentManager },
  { id, text, from }: { readonly id: string; readonly text: string; readonly from: Origin },
): Promise<string> {
  const parent = await actor(id);
  const { platform, cwd, roots, settings, allowed, user } = await parent.refresh();
  const taskId = `bg_${services.hex(3)}`;
  const child = await open({
    platform,
    cwd,
    roots,
    settings,
    allowed,
    ...defined({ user }),
    source: "background",
    parentId: id,
    hidden: true,
  });
  await parent.run("background", { event: { type: "background.start", taskId, text, childId: child.id } });
  const questions = { mode: "refuse", reason: "a background run cannot ask anybody" } as const;
  const leave = parent.follow();
  const turn = submitPrompt(child, { text, from, questions }, (options) => readEvents(child.log, options));
  const failed = (thrown: unknown): Ended => ({ outcome: "failed", text: "", error: toHostError(thrown) });
  const work = turn.result
    .catch(failed)
    .then((result) => parent.run("background", { event: backgroundEnd(taskId, child, result) }))
    .catch((thrown: unknown) => services.report(toHostError(thrown)))
    .finally(leave);
  void subagents.track(parent, child, work);
  return taskId;
}

type Ended = Pick<TurnResult, "outcome" | "text" | "error">;

function backgroundEnd(
  taskId: string,
  { log }: SessionActor,
  { outcome, text, error }: Ended,
): EventNamed<"background.complete"> {
  const why = error?.message ?? (outcome === "completed" ? undefined : "it was stopped before it was done");
  const said = why === undefined ? text : `error: ${why}`;
  return { type: "background.complete", taskId, text: said, outcome, usage: log.state.usage };
}
