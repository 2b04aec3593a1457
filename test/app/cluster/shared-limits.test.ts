import { Client } from "pg";
import { expect, test } from "vitest";
import { SharedLimits } from "../../../src/app/cluster/shared-limits.ts";
import { HostError } from "../../../src/core/index.ts";
import { type RateLimiter, RateLimiters } from "../../../src/providers/models/index.ts";
import { type HomeStore, memoryHome } from "../../../src/providers/store/index.ts";
import { handClock, type HandClock } from "../../kit/clock.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { type Answer, reply, startModelServer } from "../../kit/model-server/index.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";

const ENDPOINT = { baseUrl: "", query: {}, cloud: false, local: false };
const HOSTED = { ...ENDPOINT, host: "api.example.com" };
const KEY = { kind: "key", value: "k" } as const;
const never = new AbortController().signal;
const NO_HEADERS = (): undefined => undefined;
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

interface LimitedHost {
  readonly limiter: RateLimiter;
  readonly shared: SharedLimits;
  readonly store: HomeStore;
  readonly life: AbortController;
}

/** A home of several hosts, each with its own limiter of one endpoint. */
function hostsOn(clock: HandClock, endpoint = HOSTED): (machine?: string) => LimitedHost {
  const home = memoryHome();
  const ended = new Set<number>();
  let pid = 0;
  return (machine = "m") => {
    pid += 1;
    const own = pid;
    const life = new AbortController();
    life.signal.addEventListener("abort", () => void ended.add(own));
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "p", machineId: "i" };
    const isRunning = (process: { readonly pid: number }): boolean => !ended.has(process.pid);
    const store = home.open({ identity, clock, isRunning, signal: life.signal });
    const { records, hostId } = store;
    const shared = new SharedLimits({ records, clock, hostId, machine, secret: "s" });
    const limiters = new RateLimiters(clock);
    limiters.observe(shared);
    return { shared, store, life, limiter: limiters.limiter(endpoint, KEY) };
  };
}

async function use({ limiter }: LimitedHost): Promise<void> {
  (await limiter.acquire("s", never)).answered(NO_HEADERS);
  await settle();
}

/** Time in which hosts hear each other. */
async function hear(clock: HandClock, ms = 2_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.advance(1_000);
    await settle();
  }
}

test("each host takes its part by the number of living hosts that use the endpoint", async () => {
  const clock = handClock();
  const open = hostsOn(clock);
  const a = open();
  const b = open();
  const c = open();
  await use(a);
  expect(a.limiter.atOnce).toBe(17);
  await use(b);
  // Who comes later begins with what the others know.
  expect(b.limiter.atOnce).toBeCloseTo(17 / 2);
  await hear(clock);
  expect(a.limiter.atOnce).toBeCloseTo(17 / 2);
  await use(c);
  await hear(clock);
  expect(a.limiter.atOnce).toBeCloseTo(17 / 3);
  // One dies, and one makes no requests any more.
  c.life.abort();
  await hear(clock);
  expect(a.limiter.atOnce).toBeCloseTo(17 / 2);
  for (let minute = 0; minute < 8; minute += 1) {
    await use(a);
    await hear(clock, 10_000);
  }
  const [said, ...others] = await a.store.records.list({ space: "cluster.limits", limit: 10 });
  expect([said?.key, others]).toEqual([a.store.hostId, []]);
  expect(a.limiter.atOnce).toBe(a.limiter.window);
  await a.shared[Symbol.asyncDispose]();
  expect(await b.store.records.list({ space: "cluster.limits", limit: 10 })).toEqual([]);
});

test("a pause that one host was asked for holds for all, each once, and goes on as far as one alone would", async () => {
  const clock = handClock();
  const open = hostsOn(clock);
  const a = open();
  const b = open();
  await use(a);
  await use(b);
  await hear(clock);
  const details = { retryAfterMs: 30_000 };
  const refusal = new HostError("provider_rate_limit", "Slow down.", { details });
  (await a.limiter.acquire("s", never)).done(refusal);
  await settle();
  expect(b.limiter.waitMs).toBe(0);
  await hear(clock);
  expect(b.limiter.waitMs).toBe(28_000);
  expect([a.limiter.atOnce, b.limiter.atOnce]).toEqual([1, 1]);
  // It is not met again by being told back.
  await hear(clock, 28_000);
  expect([a.limiter.waitMs, b.limiter.waitMs]).toEqual([0, 0]);
  await use(b);
  await hear(clock);
  expect([b.limiter.waitMs, b.limiter.window]).toEqual([0, 3]);
  const quota = new HostError("provider_quota", "There is no credit.");
  (await a.limiter.acquire("s", never)).done(quota);
  await hear(clock);
  await expect(b.limiter.acquire("s", never)).rejects.toMatchObject({ code: "provider_quota" });
});

test("servers of the same address on two machines are two", async () => {
  const clock = handClock();
  const open = hostsOn(clock, { ...ENDPOINT, host: "127.0.0.1:8000" });
  const [a, b, c] = [open("one"), open("two"), open("two")];
  for (const host of [a, b, c]) await use(host);
  await hear(clock);
  expect(a.limiter.atOnce).toBe(a.limiter.window);
  expect(b.limiter.atOnce).toBeCloseTo(b.limiter.window / 2);
});

test("nothing is written for a request, and nothing at all while none is made", async () => {
  const clock = handClock();
  const a = hostsOn(clock)();
  await hear(clock, 10_000);
  expect(await a.store.records.list({ space: "cluster.limits", limit: 1 })).toEqual([]);
  await use(a);
  const version = async (): Promise<number | undefined> =>
    (await a.store.records.get("cluster.limits", a.store.hostId))?.version;
  const before = await version();
  for (let count = 0; count < 100; count += 1) await use(a);
  expect(await version()).toBe(before);
  await hear(clock, 12_000);
  expect(await version()).toBeGreaterThan(before ?? 0);
});

const hasServer = (await testPostgres()) !== undefined;

/** An endpoint that refuses some, and lets a crowd wait until it is let go. */
function crowdedServer() {
  const go = Promise.withResolvers<void>();
  const seen = { waiting: 0 };
  const answer = async ({ text }: { readonly text: string }): Promise<Answer> => {
    if (text.includes("NO-MORE"))
      return { status: 429, headers: { "retry-after": "3000" }, body: '{"error":{"message":"Rate limit"}}' };
    if (text.includes("CROWD")) {
      seen.waiting += 1;
      await go.promise;
    }
    return reply("fine");
  };
  return { seen, go: go.resolve, server: startModelServer({ answer }) };
}

/** Starts a host on a database, and gives what asks it. */
async function startHost(stage: CommandStage, env: Readonly<Record<string, string>>) {
  const model = "base_url: 'http://api.example.test/v1', key_env: A_KEY, default: m, context_length: 100000";
  stage.configure(`model: {provider: openai, ${model}}\nsessions: {auto_title: false}\n`);
  Object.assign(stage.env, { A_KEY: "sk-of-the-test", ...env });
  const { url } = await startGateway(stage);
  return async (text: string): Promise<string> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${GATEWAY_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "agent", messages: [{ role: "user", content: text }] }),
    });
    return await response.text();
  };
}

/** How many hosts have said what they learnt. */
async function said(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM records WHERE space = 'cluster.limits'");
  await client.end();
  return rowCount ?? 0;
}

test.skipIf(!hasServer)("a process sends its part alone, and keeps to the pause of another one", async () => {
  await using database = await testDatabase();
  const { seen, go, server: starting } = crowdedServer();
  await using server = await starting;
  await using one = new CommandStage();
  await using two = new CommandStage();
  const env = { AGENT_STORE_URL: database.url, HTTP_PROXY: server.url };
  const [askOne, askTwo] = await Promise.all([startHost(one, env), startHost(two, env)]);
  expect(await askOne("hello")).toContain("fine");
  expect(await askTwo("hello")).toContain("fine");
  await expect.poll(() => said(database.url)).toBe(2);
  expect(await askTwo("hello")).toContain("fine");
  const crowd = Array.from({ length: 30 }, () => askTwo("CROWD"));
  await expect.poll(() => seen.waiting).toBeGreaterThanOrEqual(8);
  for (let count = 0; count < 3; count += 1) await askOne("hello");
  // One alone begins with 16, and has one more for each answer.
  expect(seen.waiting).toBeLessThan(13);
  go();
  expect((await Promise.all(crowd)).every((answer) => answer.includes("fine"))).toBe(true);
  expect(seen.waiting).toBe(30);
  expect(await askTwo("NO-MORE")).toContain("rate_limit");
  await expect.poll(() => askOne("hello"), { timeout: 10_000 }).toContain("takes no requests for another");
});
