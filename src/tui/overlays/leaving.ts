import { shortCommand } from "../../shared/text/process-words.ts";
import type { Client } from "../client.ts";
import { endsWithWindow } from "../text/leaving-words.ts";

/**
 * Leaves the client; while turns run in its process, the person says what becomes of them, and while only commands in the
 * background do, whether they may end.
 */
export async function leaveOrAsk(client: Client): Promise<void> {
  const { local, dialogs, leave, store } = client;
  const running = local.running();
  if (running === 0) return await leaveCommands(client);
  const title = running === 1 ? "A turn runs here." : `${running} turns run here.`;
  const chosen = await dialogs.pick({
    title,
    items: LEAVING,
    keys: "A number or ↑↓ marks · Enter chooses · Esc stays",
  });
  if (chosen === "stop") {
    // Nobody else stops it.
    store.dispatch({ type: "interrupting" });
    await local.stop();
  }
  if (chosen === "stop" || chosen === "go-on") leave();
}

async function leaveCommands({ local, dialogs, leave }: Client): Promise<void> {
  const commands = local.commands();
  if (commands.length === 0) return leave();
  const chosen = await dialogs.pick({
    title: endsWithWindow(commands.length),
    items: [
      { id: "end", label: "End and leave", detail: commands.map(shortCommand).join(" · ") },
      { id: "stay", label: "Stay", detail: "" },
    ],
    keys: "A number or ↑↓ marks · Enter chooses · Esc stays",
  });
  if (chosen === "end") leave();
}

const LEAVING = [
  {
    id: "go-on",
    label: "Leave, and let it go on",
    detail: "agent ps lists it, agent attach comes back to it",
  },
  { id: "stop", label: "Stop it, and leave", detail: "" },
  { id: "stay", label: "Stay", detail: "" },
];
