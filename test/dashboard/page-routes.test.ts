import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { operatorAt, type Visitor } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

/** What the operator did, oldest first, as the audit log has it. */
async function auditOf(operator: Visitor): Promise<readonly (readonly [string, unknown, unknown])[]> {
  const { data } = (await (await operator.get("/audit")).json()) as {
    readonly data: readonly {
      readonly action: string;
      readonly before?: unknown;
      readonly after?: unknown;
    }[];
  };
  return data.map(({ action, before, after }) => [action, before, after] as const).toReversed();
}

interface WireJob {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly next_runs?: readonly string[];
}

const jobIn = async (response: Response): Promise<WireJob> =>
  ((await response.json()) as { readonly job: WireJob }).job;

test("a job is made, run, changed, paused and removed at the dashboard, and each step is in the audit log", async () => {
  await using stage = new CommandStage();
  const operator = await operatorAt(await startDashboard(stage));
  const made = await jobIn(
    await operator.post("/jobs", { schedule: "0 9 * * 1-5", prompt: "say good morning", name: "Morning" }),
  );
  const one = `/jobs/${made.id}`;
  expect((await jobIn(await operator.get(one))).next_runs).toHaveLength(10);
  const limited = await jobIn(
    await operator.post("/jobs", { schedule: "every 5m", prompt: "p", repeat: 3, name: "Three" }),
  );
  expect((await jobIn(await operator.get(`/jobs/${limited.id}`))).next_runs).toHaveLength(3);

  const page = async (query: string) =>
    (await (await operator.get(`/jobs?${query}`)).json()) as {
      readonly data: readonly WireJob[];
      readonly next?: string;
    };
  const first = await page("limit=1");
  expect(first.data.map(({ name }) => name)).toEqual(["Morning"]);
  const second = await page(`limit=1&after=${encodeURIComponent(first.next ?? "")}`);
  expect([second.data.map(({ name }) => name), second.next]).toEqual([["Three"], undefined]);
  expect((await page("q=GOOD+morning")).data.map(({ name }) => name)).toEqual(["Morning"]);

  await operator.post(`${one}/run`);
  await expect
    .poll(async () => (await (await operator.get(`${one}/runs`)).json()) as unknown, { timeout: 60_000 })
    .toMatchObject({ data: [{ status: "ok", trigger: "manual", session_id: expect.any(String) }] });

  expect(await jobIn(await operator.patch(one, { name: "Early" }))).toMatchObject({ name: "Early" });
  expect((await operator.patch(one, { schedule: "whenever" })).status).toBe(400);
  expect((await jobIn(await operator.post(`${one}/pause`))).state).toBe("paused");
  expect((await jobIn(await operator.get(one))).next_runs).toEqual([]);
  expect((await operator.remove(one)).status).toBe(200);
  expect((await operator.get(one)).status).toBe(404);
  expect((await operator.get(`${one}/runs`)).status).toBe(404);
  const audit = await auditOf(operator);
  expect(audit.map(([action]) => action)).toEqual([
    "sign-in",
    "job.created",
    "job.created",
    "job.run",
    "job.changed",
    "job.paused",
    "job.removed",
  ]);
  expect(audit[4]?.slice(1)).toMatchObject([{ name: "Morning" }, { name: "Early" }]);
});

test("an entry of the memory is forgotten at the dashboard, and its words are not kept in the audit log", async () => {
  await using stage = new CommandStage();
  mkdirSync(join(stage.home, "memories", "telegram-42"), { recursive: true });
  stage.write(
    "memories/MEMORY.md",
    "# Kept\n\n- Deploys happen on Tuesdays\n- Deploys are slow\n\nNot an entry.\n",
  );
  stage.write("memories/telegram-42/USER.md", "- Anna works in support\n");
  const operator = await operatorAt(await startDashboard(stage));
  const scopes = async (query: string) =>
    (
      (await (await operator.get(`/memory${query}`)).json()) as {
        readonly data: readonly { scope: string }[];
      }
    ).data;
  expect((await scopes("")).map(({ scope }) => scope)).toEqual(["", "telegram-42"]);
  expect(await scopes("?q=anna")).toMatchObject([
    { scope: "telegram-42", files: [{}, { entries: ["Anna works in support"] }] },
  ]);

  const forget = (body: object) => operator.post("/memory/forget", { target: "memory", ...body });
  expect((await forget({ entry: "Deploys" })).status).toBe(400);
  expect((await forget({ entry: "Deploys are slow" })).status).toBe(200);
  expect((await forget({ entry: "Anna works in support" })).status).toBe(400);
  expect((await forget({ entry: "Anna", scope: "../../.." })).status).toBe(400);
  expect(readFileSync(join(stage.home, "memories", "MEMORY.md"), "utf8")).toBe(
    "# Kept\n\n- Deploys happen on Tuesdays\n\nNot an entry.\n",
  );
  const audit = await auditOf(operator);
  expect(audit.at(-1)).toEqual(["memory.forgotten", { entries: 2 }, { entries: 1 }]);
  expect(JSON.stringify(audit)).not.toContain("slow");
  expect((await stage.run(["memory", "forget", "support", "--user", "--scope", "telegram-42"])).code).toBe(0);
  expect((await stage.run(["memory", "list"])).stdout).toContain("- Deploys happen on Tuesdays");
});

/** A provider that takes no key, and the way to it. */
async function refusingProvider() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end('{"error":{"message":"wrong key"}}');
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("models are listed with their prices, tried, and what went wrong with them is told", async () => {
  await using provider = await refusingProvider();
  await using stage = new CommandStage();
  stage.configure(
    `model:\n  default: gpt-4o\n  provider: openai\n  base_url: ${provider.baseUrl}\n  prices: {gpt-4o: {input: 2.5, output: 10}}\n  providers: {spare: {kind: demo}}\n`,
  );
  stage.env["OPENAI_API_KEY"] = "sk-secret-of-the-owner";
  const operator = await operatorAt(await startDashboard(stage));
  expect((await stage.run(["run", "hello"])).code).not.toBe(0);
  const read = async (path: string): Promise<unknown> => (await operator.get(path)).json();
  expect(await read("/models?q=gpt")).toMatchObject({
    data: [{ model: "gpt-4o", current: true, price: { input: 2.5, output: 10 } }],
  });
  expect(await read("/models/errors")).toMatchObject({
    data: [{ code: "provider_auth", retried: false, session_id: expect.any(String) }],
  });
  const tried = await operator.post("/models/try", {
    provider: "openai",
    model: "gpt-4o",
    prompt: "who are you?",
  });
  expect([tried.status, ((await tried.json()) as { error: { code: string } }).error.code]).toEqual([
    502,
    "provider_auth",
  ]);
  const providers = JSON.stringify(await read("/models/providers"));
  expect(providers).toContain('"limit":');
  expect(providers).not.toContain("sk-secret");
  const demo = { provider: "spare", model: "demo", prompt: "good morning" };
  expect(await (await operator.post("/models/try", demo)).json()).toMatchObject({
    text: expect.stringContaining("demo model"),
    ms: expect.any(Number),
    output_tokens: expect.any(Number),
  });
  expect((await auditOf(operator)).map(([action]) => action)).toEqual(["sign-in", "model.tried"]);
});

/** Every route of the pages that changes something. */
const CHANGES = [
  "/jobs",
  "/jobs/0123456789ab/run",
  "/jobs/0123456789ab/pause",
  "/memory/forget",
  "/models/try",
  "/connectors/telegram/setup",
  "/connectors/telegram/switch",
  "/webhooks/addresses",
  "/webhooks/addresses/addr_0/switch",
  "/webhooks/addresses/addr_0/secret",
  "/webhooks/sent/evt_0/redeliver",
  "/webhooks/routes/nobody/test",
];

test("who is not signed in, other pages and garbage change nothing", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  const operator = await operatorAt(address);
  const { origin } = new URL(address);
  const json = { "content-type": "application/json" };
  const statuses = async (init: (path: string) => RequestInit): Promise<readonly number[]> =>
    await Promise.all(
      CHANGES.map(
        async (path) =>
          (await fetch(`${origin}/dashboard/api${path}`, { method: "POST", ...init(path) })).status,
      ),
    );
  const all = (status: number): readonly number[] => CHANGES.map(() => status);
  const { cookie } = operator;
  expect(await statuses(() => ({ headers: json, body: "{}" }))).toEqual(all(401));
  expect(
    await statuses(() => ({ headers: { ...json, cookie, origin: "https://elsewhere.test" }, body: "{}" })),
  ).toEqual(all(403));
  expect(await statuses(() => ({ headers: { cookie, "content-type": "text/plain" }, body: "{}" }))).toEqual(
    all(415),
  );
  for (const path of CHANGES) {
    for (const body of ["{", "[]", "null", '{"schedule":{"$gt":1},"target":7}']) {
      const answer = await fetch(`${origin}/dashboard/api${path}`, {
        method: "POST",
        headers: { ...json, cookie },
        body,
      });
      expect([path, body, answer.status >= 400 && answer.status < 500]).toEqual([path, body, true]);
    }
  }
  for (const path of ["/jobs", "/memory", "/jobs/..%2F..%2Fx", "/jobs/x/runs?after=zzz&limit=-1"]) {
    expect((await fetch(`${origin}/dashboard/api${path}`)).status).toBe(401);
    expect((await operator.get(path)).status).toBeLessThan(500);
  }
  expect((await auditOf(operator)).map(([action]) => action)).toEqual(["sign-in"]);
});
