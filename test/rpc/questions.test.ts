import { describe, expect, test } from "vitest";
import { type AnyTool, DEFAULT_POLICY, type ToolAnswer, type ToolQuestion } from "../../src/core/index.ts";
import { handClock } from "../kit/clock.ts";
import { callTool, say, scriptedModel } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { GatewayStage } from "./gateway-stage.ts";
import type { LinkedClient } from "./raw-client.ts";

/** A session whose first turn has got to its question. */
async function asked(
  stage: GatewayStage,
  kind: "approval" | "clarify" | "sudo" | "secret",
): Promise<{ readonly client: LinkedClient; readonly id: string; readonly requestId: string }> {
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  const { payload } = await client.event(`${kind}.request`);
  return { client, id, requestId: payload.request_id };
}

const changing = (ran: string[]): AnyTool =>
  testTool("change", { effect: "once", run: () => Promise.resolve(String(ran.push("ran"))) });

describe("approvals", () => {
  test("another connection sees the question that is open, and its answer counts", async () => {
    const ran: string[] = [];
    const model = scriptedModel([callTool("change", { a: 1 })], [say("done")]);
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(changing(ran)) });
    const { client, id, requestId } = await asked(stage, "approval");
    const other = await stage.client();
    const attached = await other.call("session.activate", { session_id: id });
    expect(attached).toMatchObject({
      status: "waiting",
      waiting: { cause: "approval", request_id: requestId },
      open_requests: [{ method: "approval", params: { session_id: id, request_id: requestId } }],
    });
    const { payload } = await other.event("approval.request");
    expect(payload).toMatchObject({
      request_id: requestId,
      choices: ["once", "session", "always", "deny"],
      allow_permanent: true,
      tool_name: "change",
      timeout_s: DEFAULT_POLICY.approvals.timeoutMs / 1000,
    });
    expect(ran).toEqual([]);
    expect(await other.call("approval.respond", { session_id: id, choice: "once" })).toEqual({ resolved: 1 });
    await client.ended(id);
    expect(ran).toEqual(["ran"]);
    expect((await client.event("approval.resolved")).payload).toMatchObject({
      request_id: requestId,
      outcome: "answered",
      choice: "once",
      by: "gateway",
    });
  });

  test("what an answer for ever may cover is listed, and named in the answer", async () => {
    const kept: string[] = [];
    const model = scriptedModel([callTool("change", { a: 1 })], [say("done")]);
    await using stage = await GatewayStage.open(model, {
      toolsets: toolsOf(changing([])),
      rememberPatterns: async (patterns) => void kept.push(...patterns),
    });
    const { client, id } = await asked(stage, "approval");
    const { pending } = await client.call("approval.pending", { session_id: id });
    const here = { id: "1", folder: "/work", rules: ["in:/work:tool:change"] };
    expect(pending[0].scopes).toMatchObject([here, { id: "2", rules: ["tool:change"] }]);
    expect(pending[0].scopes[0].covers[0]).toContain("in sessions of /work");
    const answer = { session_id: id, choice: "always" };
    expect((await client.ask("approval.respond", { ...answer, scope: "3" })).error?.message).toContain(
      "no scope",
    );
    expect(await client.call("approval.respond", { ...answer, scope: "1" })).toEqual({ resolved: 1 });
    await client.ended(id);
    expect(kept).toEqual(["in:/work:tool:change"]);
  });

  test("without a request id the oldest is meant, and none is no error", async () => {
    const ran: string[] = [];
    const models = scriptedModel([callTool("change"), callTool("change")], [say("done")]);
    await using stage = await GatewayStage.open(models, { toolsets: toolsOf(changing(ran)) });
    const { client, id, requestId } = await asked(stage, "approval");
    const answer = { session_id: id, choice: "deny", all: true };
    expect(await client.call("approval.respond", answer)).toEqual({ resolved: 1 });
    await client.event("approval.request", ({ payload }) => payload.request_id !== requestId);
    const pending = await client.call("approval.pending", { session_id: id });
    expect(pending.pending).toMatchObject([{ session_id: id, tool_name: "change" }]);
    expect(await client.call("approval.respond", { session_id: id, choice: "once" })).toEqual({
      resolved: 1,
    });
    await client.ended(id);
    expect(ran).toEqual(["ran"]);
    expect(await client.call("approval.respond", { session_id: id })).toEqual({ resolved: 0 });
  });

  test("a choice that there is not is 4004, an id that is over 4009", async () => {
    await using stage = await GatewayStage.open(scriptedModel([callTool("change")], [say("done")]), {
      toolsets: toolsOf(changing([])),
    });
    const { client, id, requestId } = await asked(stage, "approval");
    const wrong = await client.ask("approval.respond", { session_id: id, choice: "sure" });
    expect(wrong.error?.code).toBe(4004);
    await client.call("approval.respond", { session_id: id, request_id: requestId, choice: "deny" });
    const late = await client.ask("approval.respond", {
      session_id: id,
      request_id: requestId,
      choice: "once",
    });
    expect(late.error?.code).toBe(4009);
  });

  test("who can take requests gets them as requests, answers them, and others are told", async () => {
    const ran: string[] = [];
    const model = scriptedModel([callTool("change")], [say("done")]);
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(changing(ran)) });
    const newer = await stage.client();
    await newer.call("client.capabilities", { server_requests: true });
    const { session_id: id } = await newer.call("session.create", {});
    const third = await stage.client();
    await third.call("client.capabilities", { server_requests: true });
    await third.call("session.resume", { session_id: id });
    const older = await stage.client();
    await older.call("session.resume", { session_id: id });
    await newer.call("prompt.submit", { session_id: id, text: "go" });
    const request = await newer.frame(({ method }) => method === "approval");
    expect(request["id"]).toMatch(/^srq-[0-9a-f]{12}$/);
    await third.frame(({ method }) => method === "approval");
    newer.send({ jsonrpc: "2.0", id: request["id"], result: { choice: "once" } });
    await newer.ended(id);
    expect(ran).toEqual(["ran"]);
    const cancel = await third.event("request.cancel");
    expect(cancel.payload).toEqual({ id: request["id"], method: "approval", reason: "resolved" });
    expect(older.events.map(({ type }) => type)).not.toContain("request.cancel");
    expect(older.events.map(({ type }) => type)).toContain("approval.request");
  });

  test("are taken back from who closes the session, and stay open for who has it still", async () => {
    const ran: string[] = [];
    const model = scriptedModel([callTool("change")], [say("done")]);
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(changing(ran)) });
    const [leaving, staying] = [await stage.client(), await stage.client()];
    for (const client of [leaving, staying])
      await client.call("client.capabilities", { server_requests: true });
    const { session_id } = await leaving.call("session.create", {});
    await staying.call("session.resume", { session_id });
    await leaving.call("prompt.submit", { session_id, text: "go" });
    const { id } = await leaving.frame(({ method }) => method === "approval");
    expect(await leaving.call("session.close", { session_id })).toEqual({ closed: true });
    const cancel = await leaving.event("request.cancel");
    expect(cancel.payload).toEqual({ id, method: "approval", reason: "session_closed" });
    staying.send({ jsonrpc: "2.0", id, result: { choice: "once" } });
    await staying.ended(session_id);
    expect(ran).toEqual(["ran"]);
    expect(staying.events.map(({ type }) => type)).not.toContain("request.cancel");
  });

  test("are not taken back from who comes back to a session that it has", async () => {
    const model = scriptedModel([callTool("change")], [say("done")]);
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(changing([])) });
    const client = await stage.client();
    await client.call("client.capabilities", { server_requests: true });
    const { session_id } = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id, text: "go" });
    const { id } = await client.frame(({ method }) => method === "approval");
    const { open_requests } = await client.call("session.resume", { session_id });
    expect(open_requests).toMatchObject([{ id }]);
    client.send({ jsonrpc: "2.0", id, result: { choice: "deny" } });
    await client.ended(session_id);
    expect(JSON.stringify(client.events)).not.toContain("session_closed");
  });

  test("say why they ask and what they cover, and the words of a denial reach the model, however it comes", async () => {
    const model = scriptedModel(
      [callTool("change")],
      [callTool("change")],
      [callTool("change")],
      [say("done")],
    );
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(changing([])) });
    const { client, id, requestId } = await asked(stage, "approval");
    const [event] = client.events.filter(({ type }) => type === "approval.request");
    expect(event?.payload).toMatchObject({
      description: expect.stringMatching(/^It is a tool that can change something\.\n/),
      reasons: ["is a tool that can change something"],
      covers: ["every call of the tool change"],
    });
    const denial = { session_id: id, choice: "deny" } as const;
    await client.call("approval.respond", { ...denial, request_id: requestId, note: "use the first" });
    const next = await client.event("approval.request", ({ payload }) => payload.request_id !== requestId);
    await client.call("client.capabilities", { server_requests: true });
    const reason = "use the second";
    await client.call("approval.respond", { ...denial, request_id: next.payload.request_id, reason });
    const request = await client.frame(({ method }) => method === "approval");
    client.send({ jsonrpc: "2.0", id: request["id"], result: { choice: "deny", note: "use the third" } });
    await client.ended(id);
    const heard = JSON.stringify(model.requests.at(-1)?.messages);
    for (const words of ["first", "second", "third"]) expect(heard).toContain(`They said: use the ${words}`);
  });

  test("who cannot take a kind of request after all gets it as an event", async () => {
    await using stage = await GatewayStage.open(scriptedModel([callTool("change")], [say("done")]), {
      toolsets: toolsOf(changing([])),
    });
    const client = await stage.client();
    await client.call("client.capabilities", { server_requests: true });
    const { session_id: id } = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id: id, text: "go" });
    const request = await client.frame(({ method }) => method === "approval");
    client.send({ id: request["id"], error: { code: -32_601, message: "no" } });
    const { payload } = await client.event("approval.request");
    await client.call("approval.respond", { session_id: id, request_id: payload.request_id, choice: "deny" });
    await client.ended(id);
    expect((await client.event("approval.resolved")).payload.choice).toBe("deny");
  });

  test("one that nobody answers in time is over, and everybody learns it", async () => {
    const clock = handClock();
    await using stage = await GatewayStage.open(scriptedModel([callTool("change")], [say("done")]), {
      toolsets: toolsOf(changing([])),
      clock,
    });
    const { client, id, requestId } = await asked(stage, "approval");
    clock.advance(DEFAULT_POLICY.approvals.timeoutMs);
    expect((await client.event("approval.expire")).payload).toEqual({ request_id: requestId });
    await client.ended(id);
    const { payload } = await client.event("tool.complete");
    expect(payload.outcome).toBe("denied");
  });
});

describe("other questions", () => {
  async function answered(
    question: ToolQuestion,
    respond: (client: LinkedClient, requestId: string) => Promise<unknown>,
  ): Promise<{ heard: ToolAnswer[]; frames: string }> {
    const heard: ToolAnswer[] = [];
    const model = scriptedModel([callTool("ask")], [say("done")]);
    await using stage = await GatewayStage.open(model, { toolsets: toolsOf(askingTool(question, heard)) });
    const { client, id, requestId } = await asked(
      stage,
      question.kind === "grant" ? "approval" : question.kind,
    );
    const other = await stage.client();
    await other.call("session.resume", { session_id: id });
    await respond(other, requestId);
    await client.ended(id);
    return { heard, frames: JSON.stringify(client.frames) };
  }

  test("a clarification is answered from another connection", async () => {
    const question = { kind: "clarify", question: "Which?", choices: ["a", "b"] } as const;
    const { heard } = await answered(question, async (client, request_id) => {
      expect(await client.call("clarify.respond", { request_id, answer: "b" })).toEqual({ status: "ok" });
      const late = await client.ask("clarify.respond", { request_id, answer: "a" });
      expect(late.error?.code).toBe(4009);
    });
    expect(heard).toEqual([{ outcome: "answered", text: "b" }]);
  });

  test("a password reaches the tool and no client", async () => {
    const { heard, frames } = await answered(
      { kind: "sudo", command: "sudo ls" },
      async (client, request_id) => {
        expect(await client.call("sudo.respond", { request_id, password: "hunter2!" })).toEqual({
          status: "ok",
        });
        expect(await client.call("sudo.respond", { request_id, password: "late" })).toEqual({
          status: "expired",
        });
        expect((await client.ask("sudo.respond", { password: "x" })).error?.code).toBe(4009);
      },
    );
    expect(heard).toEqual([{ outcome: "answered", text: "hunter2!" }]);
    expect(frames).not.toContain("hunter2!");
  });

  test("a secret reaches the tool, which keeps it where the person says, and nobody else", async () => {
    const question = { kind: "secret", envVar: "API_TOKEN", prompt: "Token?" } as const;
    const { heard, frames } = await answered(question, async (client, request_id) => {
      await client.call("secret.respond", { request_id, value: "s3cr3t-value" });
    });
    expect(heard).toEqual([{ outcome: "answered", text: "s3cr3t-value" }]);
    expect(frames).not.toContain("s3cr3t-value");
  });

  test("an empty secret is one that was not given", async () => {
    const question = { kind: "secret", envVar: "API_TOKEN", prompt: "Token?" } as const;
    const { heard } = await answered(question, async (client, request_id) => {
      await client.call("secret.respond", { request_id });
    });
    expect(heard).toEqual([{ outcome: "refused", reason: "the user skipped it" }]);
  });
});
