import type { Client } from "../client.ts";

/** Goes to the mode that plans, and from there back to the mode before it. */
export async function switchPlan({ store, controller }: Client): Promise<void> {
  const { view, beforePlan } = store.state;
  const session_id = controller.sessionId;
  const mode = view.session?.info.mode;
  if (session_id === undefined || mode === undefined) return;
  const back = beforePlan?.sessionId === session_id ? beforePlan.mode : "default";
  if (mode !== "plan") store.update({ beforePlan: { sessionId: session_id, mode } });
  await controller.request("config.set", { key: "mode", value: mode === "plan" ? back : "plan", session_id });
}
