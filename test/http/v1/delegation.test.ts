import { APIError } from "openai";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, promptText } from "../../../src/core/index.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import {
  callTool,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { stageWith, wireEvents } from "../stage.ts";

const CHAT = "/v1/chat/completions";

describe("a run with subagents", () => {
  test("tells of each one's beginning and end, and the server counts those that run", async () => {
    const held = gate();
    const model = scriptedModelWith({
      otherwise({ messages }) {
        const [first] = messages;
        const text = first?.role === "user" ? promptText(first.parts) : "";
        if (text !== "go") return [wait(held), say(`${text} is done`), used(7, 3)];
        return messages.length > 1
          ? [say("end")]
          : [callTool("delegate", { tasks: [{ goal: "a" }, { goal: "b" }] })];
      },
    });
    const stopProcesses = (): Promise<number> => Promise.resolve(0);
    const toolsets = toolsOf(delegateTool({ stopProcesses }));
    await using stage = await stageWith(model, { host: { toolsets } });
    const started = await stage.post("/v1/runs", { input: "go" });
    const { run_id: run } = (await started.json()) as { readonly run_id: string };
    await held.reached;
    const health = (await (await stage.ask("/health/detailed")).json()) as Readonly<Record<string, unknown>>;
    expect(JSON.stringify(health)).toMatch(/"active_delegations":[12]/);
    held.open();
    const text = await (await stage.ask(`/v1/runs/${run}/events`)).text();
    const events = wireEvents(text).map(({ data }) => JSON.parse(data) as Readonly<Record<string, unknown>>);
    const ofSubagents = events.filter(({ event }) => String(event).startsWith("subagent."));
    expect(
      ofSubagents
        .map(({ event, goal }) => `${String(event)} ${String(goal)}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(["subagent.complete a", "subagent.complete b", "subagent.start a", "subagent.start b"]);
    expect(
      ofSubagents.find(({ event, goal }) => event === "subagent.complete" && goal === "b"),
    ).toMatchObject({
      run_id: run,
      status: "completed",
      summary: "b is done",
      task_index: 1,
      task_count: 2,
      input_tokens: 7,
      output_tokens: 3,
    });
    expect(events.at(-1)).toMatchObject({
      event: "run.completed",
      output: "end",
      usage: { total_tokens: 20 },
    });
  });
});

describe("a session without a budget", () => {
  test("is refused with 402 and words to go on, and stock clients do not try that again", async () => {
    const policy = { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, sessionTokens: 10 } };
    const model = scriptedModel([say("first"), used(10, 10)]);
    await using stage = await stageWith(model, { host: { policy } });
    const headers = { "X-Agent-Session-Id": "spender" };
    const body = { model: "agent", messages: [{ role: "user" as const, content: "hi" }] };
    expect((await stage.post(CHAT, body, headers)).status).toBe(200);
    const failure: unknown = await stage.openai.chat.completions
      .create(body, { headers })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ status: 402, code: "budget_exceeded" });
    expect(String(failure)).toContain("/budget 20");
    expect(stage.log.filter((record) => JSON.stringify(record).includes("402"))).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });
});
