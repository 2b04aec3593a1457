import { describe, expect, test } from "vitest";
import { say, scriptedModel, used } from "../../kit/scripted-model.ts";
import type { Personas } from "../../../src/core/index.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { jobsApi } from "../../../src/app/background/jobs-api.ts";
import { jobProcess } from "../../automation/jobs/job-stage.ts";
import { Machine } from "../../kit/machine.ts";
import { type StageOptions, stageWith } from "../stage.ts";

describe("discovery", () => {
  test("lists the agent as one model, for the stock client too", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { modelName: "helper" } });
    const { data } = await stage.openai.models.list();
    expect(data).toMatchObject([{ id: "helper", object: "model", owned_by: "agent", parent: null }]);
    expect((await stage.openai.models.retrieve("helper")).id).toBe("helper");
    await expect(stage.openai.models.retrieve("other")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });

  test("a stock client chooses a persona as a model; a session keeps it, a stateless call does not", async () => {
    const model = scriptedModel();
    const desk = { name: "desk", instructions: "Front desk." };
    const personas: Personas = {
      names: () => ["desk"],
      of: ({ state }) => (state.settings.persona === "desk" ? desk : undefined),
    };
    await using stage = await stageWith(model, { host: { personas } });
    const { data } = await stage.openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(["agent", "persona:desk"]);
    expect(await stage.openai.models.retrieve("persona:desk")).toMatchObject({ parent: "agent" });
    const messages = [{ role: "user" as const, content: "hi" }];
    const ask = (name: string) => stage.openai.chat.completions.create({ model: name, messages });
    expect((await ask("persona:desk")).model).toBe("persona:desk");
    await ask("persona:desk:chat");
    await ask("agent");
    await stage.post("/v1/chat/completions", { messages }, { "x-agent-persona": "desk" });
    expect(model.requests.map(({ system }) => system.includes("desk"))).toEqual([true, true, false, true]);
    await expect(ask("persona:dask")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const refused = await stage.post("/v1/runs", { input: "hi" }, { "x-agent-persona": "dask" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("There are desk.")]);
    expect(await (await stage.ask("/api/personas")).json()).toMatchObject({ data: [{ name: "desk" }] });
    const made = await stage.post("/api/sessions", { id: "own", persona: "desk" });
    expect(await made.json()).toMatchObject({ session: { persona: "desk" } });
    await stage.post("/api/sessions/own/chat", { message: "hi" });
    expect(model.requests.at(-1)?.system).toContain("desk");
    const patch = (persona: unknown) =>
      stage.ask("/api/sessions/own", {
        method: "PATCH",
        body: JSON.stringify({ persona }),
        headers: { "content-type": "application/json" },
      });
    expect((await patch("dask")).status).toBe(400);
    expect((await (await patch(null)).json()) as object).not.toHaveProperty("session.persona");
    await stage.post("/api/sessions/own/chat", { message: "hi" });
    expect(model.requests.at(-1)?.system).not.toContain("desk");
  });

  test("answers the same with a slash at the end", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello.")]), {
      settings: { modelName: "helper" },
    });
    expect(await (await stage.ask("/v1/models/")).json()).toMatchObject({ data: [{ id: "helper" }] });
    expect((await stage.ask("/v1/models/helper/")).status).toBe(200);
    expect((await fetch(`${stage.url}/v1/health/`)).status).toBe(200);
    expect((await fetch(`${stage.url}/v1/models/`)).status).toBe(401);
    expect((await stage.post("/v1/responses/", { input: "hi" })).status).toBe(200);
    const wrong = await stage.ask("/v1/chat/completions/");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await stage.ask("/v1/nothing/")).status).toBe(404);
  });

  test("names only endpoints that are there", async () => {
    await using stage = await stageWith(scriptedModel());
    const capabilities = (await (await stage.ask("/v1/capabilities")).json()) as {
      features: Record<string, unknown>;
      endpoints: Record<string, { method: string; path: string }>;
    };
    expect(capabilities).toMatchObject({
      object: "agent.api_server.capabilities",
      auth: { type: "bearer", required: true },
      session_key_header: "X-Agent-Session-Key",
    });
    expect(Object.values(capabilities.features).every((feature) => typeof feature === "boolean")).toBe(true);
    for (const { method, path } of Object.values(capabilities.endpoints)) {
      const answer = await stage.ask(path.replaceAll(/\{[^}]+\}/g, "nobody"), { method });
      const { error } = (await answer.json().catch(() => ({}))) as { error?: { code: string } };
      expect([path, error?.code]).not.toEqual([path, "not_found"]);
      expect([path, answer.status]).not.toEqual([path, 405]);
    }
  });

  test("names the job endpoints when there are any", async () => {
    const namesOf = async (jobs?: StageOptions["jobs"]): Promise<readonly string[]> => {
      await using stage = await stageWith(scriptedModel(), jobs === undefined ? {} : { jobs });
      const { endpoints, features } = (await (await stage.ask("/v1/capabilities")).json()) as {
        endpoints: Record<string, { path: string }>;
        features: Record<string, boolean>;
      };
      expect(features["jobs_admin"]).toBe(jobs !== undefined);
      return Object.entries(endpoints).flatMap(([name, { path }]) => (path.includes("/jobs") ? [name] : []));
    };
    const process = await jobProcess(new Machine(), scriptedModel());
    expect(await namesOf()).toEqual([]);
    expect(await namesOf(jobsApi(process))).toEqual([
      "jobs",
      "job_create",
      "job",
      "job_update",
      "job_delete",
      "job_pause",
      "job_resume",
      "job_run",
    ]);
  });

  test("counts what is done, for those who bring the key", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello"), used(5, 2)]));
    await stage.openai.chat.completions.create({
      model: "agent",
      messages: [{ role: "user", content: "hi" }],
    });
    expect((await fetch(`${stage.url}/metrics`)).status).toBe(401);
    const answer = await stage.ask("/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const lines = (await answer.text()).split("\n");
    for (const line of [
      'agent_http_requests_total{route="POST /v1/chat/completions",status="200"} 1',
      'agent_http_requests_total{route="refused",status="401"} 1',
      'agent_turns_total{outcome="completed"} 1',
      'agent_tokens_total{kind="input"} 5',
      "agent_runs_active 0",
      "agent_event_loop_delay_p99_seconds 0.002",
    ])
      expect(lines).toContain(line);
  });

  test("lists toolsets and skills as bare arrays", async () => {
    const toolsets = toolsOf(testTool("b"), testTool("a"));
    await using stage = await stageWith(scriptedModel(), { host: { toolsets } });
    expect(await (await stage.ask("/v1/toolsets")).json()).toEqual([
      {
        name: "test",
        label: "Test",
        description: "Tools of a test",
        enabled: true,
        configured: true,
        tools: ["a", "b"],
      },
    ]);
    expect(await (await stage.ask("/v1/skills")).json()).toEqual([]);
  });

  test("tells a balancer that it drains or is cut off from its database, and whoever would restart it that it is there", async () => {
    await using stage = await stageWith(scriptedModel());
    expect((await fetch(`${stage.url}/v1/health`)).headers.get("connection")).toBe("keep-alive");
    const seen = async (): Promise<readonly unknown[]> => {
      const answers = await Promise.all([fetch(`${stage.url}/v1/health`), fetch(`${stage.url}/health`)]);
      const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<{ status: string }>));
      return answers.map(({ status }, index) => [status, bodies[index]?.status]);
    };
    expect(await seen()).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
    let isLost = true;
    Object.defineProperty(stage.host.services.store, "isLost", { get: () => isLost });
    expect(await seen()).toEqual([
      [503, "unavailable"],
      [200, "ok"],
    ]);
    isLost = false;
    expect((await seen())[0]).toEqual([200, "ok"]);
    stage.api.drain();
    expect(await seen()).toEqual([
      [503, "draining"],
      [200, "ok"],
    ]);
    expect((await stage.ask("/v1/models")).headers.get("connection")).toBe("close");
  });

  test("tells the health of the server in detail", async () => {
    await using stage = await stageWith(scriptedModel());
    expect(await (await stage.ask("/health/detailed")).json()).toMatchObject({
      status: "ok",
      gateway_state: "running",
      active_runs: 0,
      readiness: { status: "ok", checks: { state_db: { status: "ok" }, model: { status: "ok" } } },
    });
  });
});
