import { describe, expect, test } from "vitest";
import { handClock } from "../../kit/clock.ts";
import { Machine } from "../../kit/machine.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { toolsOf } from "../../kit/test-host.ts";
import { risky } from "../risky-tool.ts";
import { openStream, stageWith } from "../stage.ts";

interface Status {
  readonly run_id: string;
  readonly status: string;
  readonly output?: string;
  readonly approval?: { readonly request_id: string };
}

describe("a server that stops and starts again", () => {
  test("tells its readers, and asks the same question afterwards", async () => {
    const machine = new Machine();
    const toolsets = toolsOf(risky());
    const { store } = await machine.start(scriptedModel());
    const first = await stageWith(scriptedModel([callTool("risky")]), {
      host: { store, clock: machine.clock, toolsets },
    });
    const begun = await first.post("/v1/runs", { input: "go" }, { "idempotency-key": "k" });
    const { run_id: run } = (await begun.json()) as Status;
    const stream = await openStream(first, `/v1/runs/${run}/events`);
    const seen = await stream.until((text) => text.includes("approval.request"));
    const asked = (await (await first.ask(`/v1/runs/${run}`)).json()) as Status;
    first.api.drain();
    await first[Symbol.asyncDispose]();
    expect((await stream.end).slice(seen.length)).toContain(": the server is shutting down\n\n");

    const next = await machine.start(scriptedModel());
    await using second = await stageWith(scriptedModel([say("over")]), {
      host: { store: next.store, clock: machine.clock, toolsets },
    });
    const again = (await (await second.ask(`/v1/runs/${run}`)).json()) as Status;
    expect(again).toMatchObject({
      status: "waiting_for_approval",
      approval: { request_id: asked.approval?.request_id },
    });
    const cursor = /id: (\d+)\n[^\n]*\n[^\n]*\n\n$/.exec(seen)?.[1] ?? "0";
    const rest = await openStream(second, `/v1/runs/${run}/events`, { headers: { "last-event-id": cursor } });
    expect((await second.post(`/v1/runs/${run}/approval`, { choice: "once" })).status).toBe(200);
    const text = await rest.end;
    expect(text).not.toContain("approval.request");
    expect(text).toContain('"output":"over"');
    const replay = await second.post("/v1/runs", { input: "go" }, { "idempotency-key": "k" });
    expect(await replay.json()).toMatchObject({ run_id: run, status: "completed", replayed: true });
  });
});

describe("what a server keeps", () => {
  test("of a stateless chat is gone a day later, and nothing else", async () => {
    const clock = handClock();
    await using stage = await stageWith(scriptedModel(), { host: { clock } });
    const chat = { messages: [{ role: "user", content: "hi" }] };
    await (await stage.post("/v1/chat/completions", chat)).text();
    await (await stage.post("/v1/chat/completions", chat, { "x-agent-session-id": "mine" })).text();
    const all = async (): Promise<readonly string[]> =>
      (await stage.host.list({ limit: 9, offset: 0, includeHidden: true })).map(({ id }) => id);
    expect(await all()).toHaveLength(2);
    clock.advance(23 * 3_600_000);
    expect(await all()).toHaveLength(2);
    for (let step = 0; step < 100 && (await all()).length > 1; step += 1) clock.advance(600_000);
    expect(await all()).toEqual(["mine"]);
  });

  test("is not stopped by a reader of a whole answer that leaves and comes back with its key", async () => {
    const clock = handClock();
    const hold = gate();
    const model = scriptedModel([wait(hold), say("late")]);
    await using stage = await stageWith(model, { host: { clock } });
    const chat = { messages: [{ role: "user", content: "hi" }] };
    const headers = { "idempotency-key": "k" };
    const leaving = new AbortController();
    const gone = stage.ask("/v1/chat/completions", {
      method: "POST",
      body: JSON.stringify(chat),
      headers,
      signal: leaving.signal,
    });
    await hold.reached;
    leaving.abort();
    await gone.catch(() => undefined);
    const back = stage.post("/v1/chat/completions", chat, headers);
    clock.advance(10_000);
    hold.open();
    expect(await (await back).json()).toMatchObject({ choices: [{ message: { content: "late" } }] });
    expect(model.requests).toHaveLength(1);
  });
});
