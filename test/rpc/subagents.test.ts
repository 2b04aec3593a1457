import { expect, test } from "vitest";
import { promptText, type Toolset } from "../../src/core/index.ts";
import { delegateTool } from "../../src/providers/tools/delegate.ts";
import { callTool, gate, say, type ScriptedModel, scriptedModelWith, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

const stopProcesses = (): Promise<number> => Promise.resolve(0);

const toolsets: readonly Toolset[] = [
  {
    name: "delegate",
    label: "",
    description: "",
    configured: true,
    tools: [delegateTool({ stopProcesses })],
  },
  ...toolsOf(testTool("look"), testTool("change", { effect: "once" })),
];

/** A person's session that delegates once, and a subagent that uses a tool and then waits at a gate. */
function delegating(tool: string): { readonly model: ScriptedModel; readonly held: ReturnType<typeof gate> } {
  const held = gate();
  const model = scriptedModelWith({
    otherwise({ messages }) {
      const [first] = messages;
      const text = first?.role === "user" ? promptText(first.parts) : "";
      const hasResult = messages.some(({ role }) => role === "tool");
      if (text === "go") return hasResult ? [say("done")] : [callTool("delegate", { goal: "the task" })];
      return hasResult ? [wait(held), say("found it")] : [callTool(tool)];
    },
  });
  return { model, held };
}

test("a client sees a subagent come, work and go, in order, and can list, watch and stop it", async () => {
  const { model, held } = delegating("look");
  await using stage = await GatewayStage.open(model, { toolsets });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await held.reached;
  const { active, ...limits } = await client.call("delegation.status", {});
  expect(limits).toEqual({ paused: false, max_spawn_depth: 1, max_concurrent_children: 3 });
  expect(active).toMatchObject([
    { goal: "the task", parent_id: null, depth: 1, status: "running", tool_count: 1, last_tool: "look" },
  ]);
  const [{ subagent_id, child_session_id }] = active;
  const watcher = await stage.client();
  await watcher.call("session.resume", { session_id: child_session_id, lazy: true });
  expect(await client.call("subagent.interrupt", { subagent_id: "sub_none" })).toMatchObject({
    found: false,
  });
  await client.event("subagent.tool");
  const others = await (await stage.client()).call("session.list", { include_children: true });
  expect(
    others.sessions.map((each: { id: string; parent_id: string }) => [each.id, each.parent_id]),
  ).toContainEqual([child_session_id, id]);
  held.open();
  await client.ended(id);
  await watcher.ended(child_session_id);
  expect(watcher.text(child_session_id)).toContain("found it");
  // Its announcement is in no log: a reader that was busy meanwhile sees that it began.
  const events = client.events.filter(
    ({ type }) => type.startsWith("subagent.") && type !== "subagent.spawn_requested",
  );
  expect(events.map(({ type }) => type)).toEqual(["subagent.start", "subagent.tool", "subagent.complete"]);
  for (const { session_id, payload } of events) {
    expect(session_id).toBe(id);
    expect(payload).toMatchObject({ goal: "the task", task_index: 0, task_count: 1, subagent_id, depth: 1 });
  }
  expect(events[1]?.payload).toMatchObject({
    tool_name: "look",
    tool_preview: "look",
    tool_count: 1,
    child_session_id,
  });
  expect(events[2]?.payload).toMatchObject({
    status: "completed",
    summary: "found it",
    api_calls: 2,
    tool_count: 1,
  });
  const order = client.events.map(({ type }) => type);
  const delegated = order.indexOf("tool.start");
  expect(order.indexOf("subagent.start")).toBeGreaterThan(delegated);
  expect(order.indexOf("subagent.complete")).toBeLessThan(order.indexOf("tool.complete"));
  // Who comes later gets the rows again, at the same places.
  const replay = await client.call("session.events.since", { session_id: id, last_seen: 0 });
  const rows = replay.events.filter(({ type }: { type: string }) => type.startsWith("subagent."));
  expect(rows.map(({ type }: { type: string }) => type)).toEqual(["subagent.start", "subagent.complete"]);
  expect(await client.call("delegation.status", {})).toMatchObject({ active: [] });
});

test("a subagent that is stopped ends as interrupted, and its session goes on without it", async () => {
  const { model, held } = delegating("look");
  await using stage = await GatewayStage.open(model, { toolsets });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await held.reached;
  const [{ subagent_id }] = (await client.call("delegation.status", {})).active;
  expect(await client.call("subagent.interrupt", { subagent_id })).toEqual({ found: true, subagent_id });
  await client.ended(id);
  expect((await client.event("subagent.complete")).payload).toMatchObject({ status: "interrupted" });
  expect(client.text(id)).toContain("done");
});

test("its approval is asked at the person's session, and answered there", async () => {
  const { model, held } = delegating("change");
  await using stage = await GatewayStage.open(model, { toolsets });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  const { session_id, payload } = await client.event("approval.request");
  expect(session_id).toBe(id);
  expect(payload.description).toContain("the task");
  expect(await client.call("session.activate", { session_id: id })).toMatchObject({ status: "waiting" });
  const live = await client.call("session.active_list", {});
  expect(live.sessions.map((each: { id: string }) => each.id)).toEqual([id]);
  expect(await client.call("approval.respond", { session_id: id, choice: "once" })).toEqual({ resolved: 1 });
  held.open();
  await client.ended(id);
  expect((await client.event("subagent.complete")).payload).toMatchObject({
    status: "completed",
    tool_count: 1,
  });
});

test("while delegation is paused nothing begins", async () => {
  const { model, held } = delegating("look");
  held.open();
  await using stage = await GatewayStage.open(model, { toolsets });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  expect(await client.call("delegation.pause", {})).toEqual({ paused: true });
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await client.event("subagent.spawn_requested");
  expect(await client.call("delegation.status", {})).toMatchObject({ active: [], paused: true });
  expect(await client.call("delegation.pause", { paused: false })).toEqual({ paused: false });
  await client.ended(id);
  expect(client.text(id)).toContain("done");
});
