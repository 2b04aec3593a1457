/** A tool of your own, with an approval before it changes anything. */
import { defineTool, openHost } from "agent-host";
import { memoryStore } from "agent-host/store";
import { callTool, say, scriptedModel } from "agent-host/testing";
import { z } from "zod";

const lights = new Map([["kitchen", false]]);

const setLight = defineTool({
  name: "set_light",
  description: "Switch the light of a room on or off.",
  toolset: "home",
  kind: "other",
  effect: "idempotent",
  input: z.object({ room: z.string(), on: z.boolean() }),
  label: ({ room, on }) => `Light in the ${room}: ${on ? "on" : "off"}`,
  async *run({ room, on }) {
    yield { preview: `Reaching the ${room}` };
    if (!lights.has(room)) throw new Error(`There is no room called ${room}.`);
    lights.set(room, on);
    return { outcome: "ok", content: [{ type: "text", text: "Done." }] };
  },
});

// A scripted model stands in for a real one: it asks for the tool, then says that it is done.
const models = scriptedModel(
  [callTool("set_light", { room: "kitchen", on: true })],
  [say("The light is on.")],
);
const toolsets = [
  { name: "home", label: "Home", description: "Lights", tools: [setLight], configured: true },
];
await using host = await openHost({ store: memoryStore(), models, toolsets });

const session = await host.open();
const turn = session.submit({ text: "Light in the kitchen, please." });
for await (const event of turn) {
  if (event.type !== "approval.request") continue;
  console.log(`Allowing: ${event.command}`);
  await session.answer(event.requestId, { choice: "once" });
}
console.log((await turn.result).text, lights);
