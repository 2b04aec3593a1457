import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { freePort } from "../../kit/free-port.ts";
import { untilRecord } from "../../kit/home-records.ts";
import { startWebhooks } from "../../kit/gateway-command.ts";
import { sign } from "../../automation/webhook/stage.ts";

const SECRET = "a-good-webhook-secret-0123";

async function stageWithWebhooks(): Promise<CommandStage> {
  const stage = new CommandStage();
  const port = String(await freePort());
  Object.assign(stage.env, { WEBHOOK_ENABLED: "true", WEBHOOK_SECRET: SECRET, WEBHOOK_PORT: port });
  stage.configure("platforms:\n  webhook:\n    extra:\n      host: 127.0.0.1\n");
  return stage;
}

const post = (
  url: string,
  body: string,
  { secret = SECRET, ...headers }: Readonly<Record<string, string>> = {},
) => fetch(url, { method: "POST", body, headers: { ...sign(body, secret), ...headers } });

test("the gateway takes a question on its built-in route, and ends with 0 when it is told to stop", async () => {
  await using stage = await stageWithWebhooks();
  const { command, url } = await startWebhooks(stage);
  const answer = await post(`${url}/webhooks/agent`, JSON.stringify({ message: "count to 3" }));
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { status: "completed", response: "1 2 3" },
  ]);
  command.child.kill("SIGTERM");
  const { code, stderr } = await command.end;
  expect(code).toBe(0);
  expect(stderr).not.toContain(SECRET);
});

test("a subscription is live at once, keeps its secret when it is changed, and can be tested and removed", async () => {
  await using stage = await stageWithWebhooks();
  const { command } = await startWebhooks(stage);
  const made = await stage.ask([
    "webhook",
    "subscribe",
    "My Builds",
    "--prompt",
    "say {what}",
    "--events",
    "push,test",
  ]);
  expect(made.stderr).toBe("");
  expect(made.stdout).toMatch(/^Created webhook subscription: my-builds\n/);
  const secret = /Secret: +(\S+)/.exec(made.stdout)?.[1] ?? "";
  expect(secret).toMatch(/^[\w-]{43}$/);
  const file = join(stage.home, "webhook_subscriptions.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    "my-builds": { events: ["push", "test"], prompt: "say {what}", deliver: "log", secret },
  });
  const url = /URL: +(\S+)/.exec(made.stdout)?.[1] ?? "";
  const answer = await post(`${url}?wait=1`, '{"what": "hello"}', { secret, "x-github-event": "push" });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { response: expect.stringContaining("hello") },
  ]);
  for (let time = 0; time < 2; time += 1) {
    const tested = await stage.ask(["webhook", "test", "my-builds", "--payload", '{"what": "hi"}']);
    expect(tested.stdout).toMatch(/^Response \(202\): .*"accepted"/);
  }
  const updated = await stage.ask(["webhook", "subscribe", "my-builds", "--events", "issues"]);
  expect(updated.stdout).toMatch(/^Updated .*\n.*\n +Secret: +/);
  expect(updated.stdout).toContain(secret);
  expect((await stage.ask(["webhook", "test", "my-builds"])).stdout).toContain('"ignored"');
  const listed = await stage.ask(["webhook", "list"]);
  expect(listed.stdout).toContain("my-builds");
  expect(listed.stdout).not.toContain(secret);
  expect((await stage.ask(["webhook", "remove", "my-builds"])).code).toBe(0);
  expect((await post(url, "{}", { secret })).status).toBe(404);
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});

test("subscriptions that are made at the same time are all kept", async () => {
  await using stage = await stageWithWebhooks();
  const names = ["one", "two", "three", "four"];
  const ends = await Promise.all(names.map((name) => stage.ask(["webhook", "subscribe", name])));
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
  const kept = JSON.parse(readFileSync(join(stage.home, "webhook_subscriptions.json"), "utf8")) as object;
  expect(Object.keys(kept).toSorted()).toEqual(names.toSorted());
});

test("what was accepted before kill -9 is carried out by the next gateway, and listed with its outcome", async () => {
  await using stage = await stageWithWebhooks();
  stage.configure(
    "platforms:\n  webhook:\n    extra:\n      host: 127.0.0.1\n      routes:\n        a: {prompt: 'count to {n}', deliver: log}\n",
  );
  const first = await startWebhooks(stage);
  const accepted = await post(`${first.url}/webhooks/a`, '{"n": 3}', { "x-request-id": "d1" });
  first.command.child.kill("SIGKILL");
  expect(accepted.status).toBe(202);
  await first.command.end;
  const second = await startWebhooks(stage);
  const again = await post(`${second.url}/webhooks/a`, '{"n": 3}', { "x-request-id": "d1" });
  expect(await again.json()).toMatchObject({ status: "duplicate", delivery_id: "d1" });
  await untilRecord(stage, "webhook.call", /"status":"(?!accepted)/);
  const { stdout } = await stage.ask(["webhook", "deliveries", "--json"]);
  expect(["completed", "failed"]).toContain(
    (JSON.parse(stdout) as { received: { status: string }[] }).received[0]?.status,
  );
  const show = ["webhook", "deliveries", "show", "d1"];
  stage.env["TZ"] = "Asia/Kolkata";
  expect((await stage.ask(show)).stdout).toMatch(
    /^route +a$[\s\S]*^accepted_at +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+05:30$/m,
  );
  expect(JSON.parse((await stage.ask([...show, "--json"])).stdout)).toMatchObject({
    route: "a",
    accepted_at: expect.stringMatching(/Z$/),
  });
  second.command.child.kill("SIGTERM");
  await second.command.end;
});

describe("the gateway does not start its connector", () => {
  test.each([
    ["without a secret for a route", "routes: {a: {}}", "routes.a.secret is missing"],
    ["open to the network", "routes: {a: {secret: INSECURE_NO_AUTH}}", "loopback only"],
    ["with a direct route into the log", "routes: {a: {secret: x, deliver_only: true}}", "deliver_only"],
    [
      "with a secret that can be guessed",
      "routes: {a: {secret: changeme}}",
      "routes.a.secret has 8 characters",
    ],
    [
      "with a target that is not there",
      `routes: {a: {secret: ${SECRET}, deliver: emial}}`,
      'The webhook route a cannot be used: Unknown or disabled delivery target "emial". ',
    ],
    [
      "with a place that would be ignored",
      `routes: {a: {secret: ${SECRET}, deliver: log, deliver_extra: {chat_id: 7}}}`,
      "deliver_extra.chat_id would be ignored",
    ],
    [
      "with a mistyped place",
      `routes: {a: {secret: ${SECRET}, deliver_extra: {chatid: 7}}}`,
      "deliver_extra.chatid is no setting. Did you mean chat_id?",
    ],
    [
      "with a toolset that is not there",
      `routes: {a: {secret: ${SECRET}, toolsets: [wbe]}}`,
      'There is no toolset "wbe". Did you mean web?',
    ],
  ])("%s", async (_name, extra, message) => {
    await using stage = new CommandStage();
    Object.assign(stage.env, { WEBHOOK_ENABLED: "true", WEBHOOK_PORT: "0" });
    stage.configure(`platforms:\n  webhook:\n    extra:\n      ${extra}\n`);
    const { code, stderr } = await stage.ask(["gateway"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the webhook connector cannot start");
    expect(stderr).toContain(message);
  });
});

describe("a mistyped key under `platforms` is refused with what was meant,", () => {
  test.each([
    ["telegrm: {enabled: true}", "platforms.telegrm", "platforms.telegram"],
    ["telegram: {enabeld: true}", "platforms.telegram.enabeld", "platforms.telegram.enabled"],
    ["email: {home_chanel: a@b.org}", "platforms.email.home_chanel", "platforms.email.home_channel"],
    ["webhok: {enabled: true}", "platforms.webhok", "platforms.webhook"],
    [
      "webhook: {extra: {rate_limt: 5}}",
      "platforms.webhook.extra.rate_limt",
      "platforms.webhook.extra.rate_limit",
    ],
    [
      "webhook: {extra: {routes: {a: {promt: x}}}}",
      "platforms.webhook.extra.routes.a.promt",
      "platforms.webhook.extra.routes.a.prompt",
    ],
    ["api_server: {extra: {prot: 1}}", "platforms.api_server.extra.prot", "platforms.api_server.extra.port"],
  ])("%s", async (yaml, path, meant) => {
    await using stage = new CommandStage();
    stage.configure(`platforms:\n  ${yaml}\n`);
    const doctor = await stage.ask(["doctor"]);
    expect(doctor.stdout).toMatch(new RegExp(`FAIL  config +${path} .*Did you mean ${meant}\\?`));
    const gateway = await stage.ask(["gateway"]);
    expect([gateway.code, gateway.stderr]).toEqual([2, expect.stringContaining(`Did you mean ${meant}?`)]);
  });

  test("while one that means nothing here is only named by doctor", async () => {
    await using stage = new CommandStage();
    stage.configure("platforms:\n  carrier_pigeons: {enabled: true}\n");
    expect((await stage.ask(["doctor"])).stdout).toContain("nothing here reads platforms.carrier_pigeons");
  });
});

describe("doctor says of webhooks", () => {
  const gatewayLine = async (stage: CommandStage): Promise<string> =>
    /^.*gateway .*$/m.exec((await stage.ask(["doctor"])).stdout)?.[0] ?? "";

  test("that the secret is weak, and which subscriptions are not served and why", async () => {
    await using stage = await stageWithWebhooks();
    expect(await gatewayLine(stage)).toMatch(/^ok {4}gateway/);
    const subscriptions = {
      good: { secret: SECRET },
      weak: { secret: "whsec_%%" },
      lost: { secret: SECRET, deliver: "nosuch" },
    };
    stage.write("webhook_subscriptions.json", JSON.stringify(subscriptions));
    const told = await gatewayLine(stage);
    expect(told).toMatch(/^FAIL {2}gateway/);
    expect(told).toContain("routes.weak.secret has 8 characters; at least 16 are needed");
    expect(told).toContain(
      'Subscription lost: The webhook route lost cannot be used: Unknown or disabled delivery target "nosuch"',
    );
    expect(told).not.toContain("good");
    stage.write("webhook_subscriptions.json", "{}");
    stage.env["WEBHOOK_SECRET"] = "changeme";
    expect(await gatewayLine(stage)).toContain(
      "WEBHOOK_SECRET has 8 characters; at least 16 are needed: /webhooks/agent is off",
    );
  });
});

describe("subscribing", () => {
  test.each([
    [["--secret", "changeme"], "secret has 8 characters; at least 16 are needed"],
    [["--secret", "whsec_%%%%%%%%%%%%%%%%"], "no base64"],
    [["--deliver", "lgo"], 'Unknown or disabled delivery target "lgo". Did you mean log?'],
    [["--deliver", "telegram"], "Unknown or disabled"],
    [["--deliver", "log", "--deliver-chat-id", "7"], "deliver_extra.chat_id would be ignored"],
    [["--deliver", "code_host_comment"], "needs `repo` in deliver_extra"],
  ])("with %j is refused, and nothing is written", async (flags, message) => {
    await using stage = await stageWithWebhooks();
    const { code, stderr } = await stage.ask(["webhook", "subscribe", "a", ...flags]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(existsSync(join(stage.home, "webhook_subscriptions.json"))).toBe(false);
  });

  test("again keeps all that is not named; a chat is not carried over to another target", async () => {
    await using stage = await stageWithWebhooks();
    Object.assign(stage.env, { TELEGRAM_TOKEN: "t", MATTERMOST_TOKEN: "t" });
    stage.configure(
      "platforms:\n  telegram: {enabled: true, home_channel: h}\n  mattermost: {enabled: true, base_url: 'http://127.0.0.1:1', home_channel: h}\n",
    );
    const subscribe = async (...flags: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, stderr } = await stage.ask(["webhook", "subscribe", "a", ...flags]);
      expect([code, stderr]).toEqual([0, ""]);
      const file = readFileSync(join(stage.home, "webhook_subscriptions.json"), "utf8");
      return (JSON.parse(file) as { a: Record<string, unknown> }).a;
    };
    const words = "--events push,test --skills review --description Builds --deliver-only".split(" ");
    const to = ["--deliver", "telegram", "--deliver-chat-id", "7"];
    const first = await subscribe("--prompt", "say {x}", ...words, ...to);
    expect(first).toMatchObject({
      prompt: "say {x}",
      events: ["push", "test"],
      skills: ["review"],
      description: "Builds",
      deliver: "telegram",
      deliver_extra: { chat_id: "7" },
      deliver_only: true,
    });
    expect(await subscribe("--prompt", "tell {x}")).toEqual({ ...first, prompt: "tell {x}" });
    expect(await subscribe("--events", "")).toEqual({ ...first, prompt: "tell {x}", events: [] });
    expect(await subscribe("--deliver", "mattermost")).toMatchObject({
      deliver: "mattermost",
      deliver_extra: {},
    });
  });

  test("is looked at and undone also while the connector is off", async () => {
    await using stage = await stageWithWebhooks();
    await stage.ask(["webhook", "subscribe", "a"]);
    stage.env["WEBHOOK_ENABLED"] = "false";
    const listed = await stage.ask(["webhook", "list"]);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("• a:")]);
    expect(listed.stderr).toContain("The webhook connector is off: nothing is served.");
    expect(JSON.parse((await stage.ask(["webhook", "list", "--json"])).stdout)).toMatchObject([
      { name: "agent", source: "built in" },
      { name: "a", source: "subscription" },
    ]);
    expect((await stage.ask(["webhook", "remove", "a"])).code).toBe(0);
    expect((await stage.ask(["webhook", "list"])).stdout).toContain("No webhook subscriptions.");
  });
});

test("the list shows the routes of config.yaml and the built-in one, and why one is off", async () => {
  await using stage = await stageWithWebhooks();
  stage.configure(
    "platforms: { webhook: { extra: { routes: { builds: { secret: a-secret-of-a-route-01, events: [push] }, old: { secret: a-secret-of-a-route-01, enabled: false } } } } }\n",
  );
  stage.env["WEBHOOK_SECRET"] = "";
  const { stdout } = await stage.ask(["webhook", "list"]);
  expect(stdout).toMatch(/^3 webhook routes:/);
  expect(stdout).toMatch(/• agent \(built in\):[^•]*Off: +WEBHOOK_SECRET is not set/);
  expect(stdout).toMatch(/• builds \(config\.yaml\):[^•]*Events: +push/);
  expect(stdout).toMatch(/• old \(config\.yaml\):[^•]*Off: +enabled: false/);
  expect(stdout).not.toContain("a-secret-of-a-route");
});

test("what cannot be delivered is told on stderr and listed", async () => {
  const taken: string[] = [];
  const chat = createServer((request, response) => {
    void readAll(request).then((body) => {
      taken.push(body);
      response.writeHead(403).end('{"message": "not in this channel"}');
    });
  });
  await once(chat.listen(0, "127.0.0.1"), "listening");
  const { port } = chat.address() as AddressInfo;
  await using stage = await stageWithWebhooks();
  stage.env["MATTERMOST_TOKEN"] = "t";
  stage.configure(
    `platforms:\n  mattermost: {enabled: true, base_url: 'http://127.0.0.1:${port}', home_channel: h, extra: {receive: false}}\n  webhook:\n    extra:\n      host: 127.0.0.1\n      routes:\n        a: {prompt: 'count to {n}', deliver: mattermost}\n`,
  );
  const { command, url } = await startWebhooks(stage);
  const told = new Promise<string>((resolve) => {
    let said = "";
    command.child.stderr.on("data", (text: string) => {
      said += text;
      const line = said.split("\n").find((each) => each.includes('"event":"failure"') && each.endsWith("}"));
      if (line !== undefined) resolve(line);
    });
  });
  expect((await post(`${url}/webhooks/a`, '{"n": 3}')).status).toBe(202);
  expect(JSON.parse(await told)).toMatchObject({
    event: "failure",
    level: "error",
    code: "delivery_failed",
    message: expect.stringMatching(/did not reach mattermost: mattermost: not in this channel/),
  });
  expect(taken).toHaveLength(1);
  command.child.kill("SIGTERM");
  await command.end;
  expect((await stage.ask(["webhook", "deliveries", "--failed"])).stdout).toContain("not in this channel");
  chat.closeAllConnections();
  chat.close();
});

describe("a command says why it cannot", () => {
  test("when the connector is off", async () => {
    await using stage = new CommandStage();
    const { code, stderr } = await stage.ask(["webhook", "subscribe", "a"]);
    expect(code).toBe(1);
    expect(stderr).toContain("WEBHOOK_ENABLED=true");
  });

  test("when there is no such subscription, or its file is damaged: nothing is written over it", async () => {
    await using stage = await stageWithWebhooks();
    expect((await stage.ask(["webhook", "remove", "nothing"])).stderr).toContain(
      "No subscription named 'nothing'",
    );
    const file = join(stage.home, "webhook_subscriptions.json");
    writeFileSync(file, "{half");
    expect((await stage.ask(["webhook", "subscribe", "a"])).code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("{half");
  });
});

test("jobs run while the gateway runs", async () => {
  await using stage = await stageWithWebhooks();
  const { command } = await startWebhooks(stage);
  const { stdout } = await stage.ask([
    "jobs",
    "create",
    new Date(Date.now() - 1000).toISOString(),
    "count to 3",
    "--json",
  ]);
  const { id } = JSON.parse(stdout) as { id: string };
  await untilRecord(stage, "job", /"last":/);
  const shown = await stage.ask(["jobs", "show", id, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ last_status: "ok" });
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});
