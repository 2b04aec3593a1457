import type { Client } from "../client.ts";
import { openAgents, queueItems, readAgent } from "../overlays/beside.ts";
import { fillList } from "../overlays/open.ts";
import type { ListItem } from "../overlays/overlay.ts";

/** Holds new subagents back, or lets them go on. */
export async function holdAgents(client: Client): Promise<void> {
  const { paused } = await client.controller.request("delegation.status", {});
  await client.controller.request("delegation.pause", { paused: !paused });
  await openAgents(client);
}

/** A key on a subagent of the list. */
export function actOnAgent(client: Client, { id }: ListItem, key: string): void {
  const { controller } = client;
  if (key === "ctrl+k")
    controller.run(
      controller.request("subagent.interrupt", { subagent_id: id }).then(() => openAgents(client)),
    );
  if (key === "ctrl+o") controller.run(readAgent(client, id));
  if (key !== "enter") return;
  client.dialogs.answer(undefined);
  controller.run(openSessionOf(client, id));
}

async function openSessionOf({ controller }: Client, id: string): Promise<void> {
  const { active } = await controller.request("delegation.status", {});
  const session = active.find(({ subagent_id }) => subagent_id === id)?.child_session_id;
  if (session === undefined) controller.note("This subagent is done.");
  else await controller.resume(session);
}

/** A key on a queued prompt of the list. */
export function actOnQueued(client: Client, { id }: ListItem, key: string): void {
  const { controller, store } = client;
  switch (key) {
    case "enter":
      client.dialogs.answer(undefined);
      return controller.run(
        controller.takeBack([id]).then(([text]) => {
          if (text !== undefined) client.prefill(text);
        }),
      );
    case "ctrl+d":
    case "delete":
      return controller.run(controller.takeBack([id]));
    case "alt+up":
    case "alt+down": {
      const ids = store.state.view.queue.map((each) => each.id);
      const from = ids.indexOf(id);
      const to = key === "alt+up" ? from - 1 : from + 1;
      if (from === -1 || ids[to] === undefined) return;
      return controller.run(moveQueued(client, ids.with(from, ids[to]).with(to, id), to));
    }
    default:
  }
}

/** Moves a prompt; the mark goes with it. */
async function moveQueued(client: Client, ids: readonly string[], to: number): Promise<void> {
  const { controller, store } = client;
  if (controller.isReordering) return;
  await controller.reorder(ids);
  const { overlay, view } = store.state;
  if (overlay?.kind !== "list" || overlay.list !== "queue") return;
  store.update({ overlay: { ...overlay, chosen: to } });
  fillList(client, "queue", queueItems(view.queue));
}
