import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import type { Delivery, Sender } from "../../../src/automation/delivery/index.ts";
import { decodeWebhookSettings } from "../../../src/automation/webhook/index.ts";
import { times } from "../../kit/counts.ts";
import { Machine } from "../../kit/machine.ts";
import { fail, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { SECRET, sign, signed, webhookProcess, webhookStage } from "./stage.ts";

const id = (name: string) => ({ "x-request-id": name });

describe("the built-in route", () => {
  test.each([
    ["message", { message: "Hi" }, "Hi"],
    ["prompt", { prompt: "Hi" }, "Hi"],
    ["text", { text: "Hi" }, "Hi"],
    ["chatInput", { chatInput: "Hi" }, "Hi"],
    ["anything else", { a: 1 }, '{\n  "a": 1\n}'],
    ["a list", ["Hi"], '[\n  "Hi"\n]'],
    ["a bare text", "Hi", '"Hi"'],
  ])("takes the question from %s and answers with the run's result", async (_name, body, question) => {
    const model = scriptedModel([say("Hello.")]);
    await using stage = await webhookStage(model);
    const answer = await stage.post("/webhooks/agent", JSON.stringify(body));
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "completed", response: "Hello.", route: "agent", delivery_id: expect.any(String) },
    });
    expect(model.seen).toEqual([[question]]);
  });

  test("answers 502 when the run fails", async () => {
    await using stage = await webhookStage(scriptedModel([fail(new HostError("provider_auth", "No key."))]));
    expect(await stage.post("/webhooks/agent", { message: "Hi" })).toMatchObject({
      status: 502,
      body: { status: "failed", error: "No key." },
    });
  });

  test("answers 504 when the run takes longer than allowed, and the run goes on", async () => {
    const slow = gate();
    await using stage = await webhookStage(scriptedModel([wait(slow), say("late")]));
    const answering = stage.post("/webhooks/agent", ...signed({ message: "Hi" }, id("d1")));
    await slow.reached;
    stage.clock.advance(600_000);
    expect(await answering).toMatchObject({ status: 504, body: { status: "timeout", delivery_id: "d1" } });
    slow.open();
    await stage.worker.idle();
    expect(await stage.calls.get("agent\nd1")).toMatchObject({ status: "completed", response: "late" });
  });

  test("is not there without a good secret, or when it is switched off", async () => {
    await using off = await webhookStage(scriptedModel(), { extra: { agent_route: false } });
    expect(await off.post("/webhooks/agent", { message: "Hi" })).toMatchObject({
      status: 404,
      body: { error: "Unknown route: agent" },
    });
    expect(decodeWebhookSettings({}, { secret: "short" }).routes.size).toBe(0);
    expect(decodeWebhookSettings({}, { secret: "changeme-changeme-changeme" }).routes.size).toBe(0);
  });

  test.each(["ftp://x.org", "/relative", "http:x", 7, "https://user:pw@x.org", "javascript:alert(1)", ""])(
    "refuses the callback address %j",
    async (url) => {
      await using stage = await webhookStage(scriptedModel());
      const answer = await stage.post("/webhooks/agent", { message: "Hi", callback_url: url });
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("callback_url") } });
    },
  );
});

test.each([
  ["a form", "message=Hi+there&x=1", "Hi there"],
  ["a form that carries JSON", `payload=${encodeURIComponent('{"message":"Hi there"}')}`, "Hi there"],
  ["JSON that is called a form", '{"message":"Hi there"}', "Hi there"],
])("%s is read", async (_name, body, question) => {
  const model = scriptedModel();
  await using stage = await webhookStage(model);
  const headers = { ...sign(body), "content-type": "application/x-www-form-urlencoded" };
  expect((await stage.post("/webhooks/agent", body, headers)).status).toBe(200);
  expect(model.seen).toEqual([[question]]);
});

describe("a configured route", () => {
  const routes = {
    reviews: {
      events: ["pull_request"],
      prompt: "Review {pull_request.title} by {sender}.",
      deliver: "chat",
      deliver_extra: { chat_id: "{sender}" },
      skills: ["absent", "review"],
    },
  };

  test("accepts its events, runs the rendered prompt with the first skill that exists, and delivers the answer", async () => {
    const sent: Delivery[] = [];
    const chat: Sender = { retryMs: [], send: (delivery) => Promise.resolve(void sent.push(delivery)) };
    const model = scriptedModel([say("Looks good.")]);
    const skills = { review: "Be kind." };
    await using stage = await webhookStage(model, { extra: { routes }, senders: { chat }, skills });
    const body = { pull_request: { title: "Mend it" }, sender: "ann" };
    const headers = { "x-hosta-event": "pull_request", "x-hosta-delivery": "d-1" };
    const answer = await stage.post("/webhooks/reviews", ...signed(body, headers));
    expect(answer).toMatchObject({
      status: 202,
      body: { status: "accepted", route: "reviews", event: "pull_request", delivery_id: "d-1" },
    });
    await stage.worker.idle();
    await stage.outbox.pollOnce();
    await stage.outbox.idle();
    expect(model.seen).toEqual([['<skill name="review">\nBe kind.\n</skill>\n\nReview Mend it by ann.']]);
    expect(sent).toMatchObject([{ text: "Looks good.", extra: { chat_id: "ann" } }]);
  });

  test("ignores other events and tests of the connection, also when it takes all events", async () => {
    await using stage = await webhookStage(scriptedModel(), { extra: { routes: { ...routes, all: {} } } });
    const ignored = await stage.post("/webhooks/reviews", ...signed({}, { "x-github-event": "push" }));
    expect(ignored).toMatchObject({ status: 200, body: { status: "ignored", event: "push" } });
    const ping = await stage.post("/webhooks/all", ...signed({}, { "x-hosta-event": "ping" }));
    expect(ping.body).toEqual({ status: "ignored", event: "ping" });
    const typed = await stage.post("/webhooks/reviews", { event_type: "issues" });
    expect(typed.body).toEqual({ status: "ignored", event: "issues" });
    const hostB = await stage.post(
      "/webhooks/reviews",
      ...signed({}, { "x-gitlab-event": "Merge Request Hook" }),
    );
    expect(hostB.body).toEqual({ status: "ignored", event: "Merge Request Hook" });
  });

  test("waits when the caller asks for it, and then delivers nothing", async () => {
    await using stage = await webhookStage(scriptedModel([say("Done.")]), {
      extra: { routes: { plain: {} } },
    });
    const answer = await stage.post("/webhooks/plain?wait=1", { a: 1 });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "completed", response: "Done.", route: "plain" },
    });
    await stage.outbox.pollOnce();
    expect(stage.log).toEqual([]);
  });

  test("that delivers at once sends the rendered text without the agent", async () => {
    const sent: string[] = [];
    let failing = true;
    const chat: Sender = {
      retryMs: [],
      send({ text }) {
        if (failing) return Promise.reject(new HostError("delivery_failed", "secret details"));
        sent.push(text);
        return Promise.resolve();
      },
    };
    const model = scriptedModel();
    const direct = { prompt: "{who} did it", deliver: "chat", deliver_only: true };
    await using stage = await webhookStage(model, { extra: { routes: { direct } }, senders: { chat } });
    const call = () => stage.post("/webhooks/direct", ...signed({ who: "Ann" }, id("d1")));
    expect(await call()).toMatchObject({ status: 502, body: { status: "error", error: "Delivery failed" } });
    failing = false;
    expect(await call()).toMatchObject({
      status: 200,
      body: { status: "delivered", route: "direct", target: "chat", delivery_id: "d1" },
    });
    expect(await call()).toMatchObject({ status: 200, body: { status: "duplicate" } });
    expect(sent).toEqual(["Ann did it"]);
    expect(model.requests).toEqual([]);
    expect((await stage.calls.list({ limit: 9 })).map(({ status }) => status).toSorted()).toEqual([
      "delivered",
      "failed",
    ]);
  });
});

describe("refused before anything is done:", () => {
  test("unknown and disabled routes, wrong proofs, other methods", async () => {
    await using stage = await webhookStage(scriptedModel(), {
      extra: { routes: { off: { enabled: false } } },
    });
    expect((await stage.post("/webhooks/nowhere", {})).status).toBe(404);
    expect((await stage.post("/webhooks/off", {})).status).toBe(403);
    expect(await stage.post("/webhooks/agent", {}, sign("{}", "another"))).toMatchObject({
      status: 401,
      body: { error: "Invalid signature" },
    });
    expect((await stage.post("/webhooks/agent", {}, {})).status).toBe(401);
    const get = await fetch(`${stage.url}/webhooks/agent`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const health = await fetch(`${stage.url}/health`);
    expect(await health.json()).toEqual({ status: "ok", platform: "webhook" });
    expect(await stage.calls.list({ limit: 5 })).toEqual([]);
  });

  test.each(["", "{", "nothing", "[1,]", "\u0000", `${"[".repeat(100)}${"]".repeat(100)}`])(
    "the body %j",
    async (body) => {
      await using stage = await webhookStage(scriptedModel());
      expect(await stage.post("/webhooks/agent", body)).toMatchObject({
        status: 400,
        body: { error: "Cannot parse body" },
      });
    },
  );

  test("a body over the limit, unread; one at the limit passes", async () => {
    await using stage = await webhookStage(scriptedModel(), { extra: { max_body_bytes: 20 } });
    const body = JSON.stringify({ message: "x".repeat(6) });
    expect(body).toHaveLength(20);
    expect((await stage.post("/webhooks/agent", body)).status).toBe(200);
    expect((await stage.post("/webhooks/agent", `${body} `)).status).toBe(413);
    const packed = { ...sign("{}"), "content-encoding": "gzip" };
    expect((await stage.post("/webhooks/agent", "{}", packed)).status).toBe(415);
  });

  test("a body that says no size and grows over the limit", async () => {
    await using stage = await webhookStage(scriptedModel(), { extra: { max_body_bytes: 1000 } });
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const call = request(`${stage.url}/webhooks/agent`, {
      method: "POST",
      headers: { "transfer-encoding": "chunked" },
    });
    call.on("response", (answer) => resolve(answer.resume().statusCode)).on("error", reject);
    call.write("x".repeat(600));
    call.write("x".repeat(600));
    expect(await promise).toBe(413);
    call.destroy();
  });

  test("more than the rate allows in any minute; a wrong proof uses nothing of it", async () => {
    const routes = { busy: { events: ["x"] } };
    await using stage = await webhookStage(scriptedModel(), { extra: { rate_limit: 3, routes } });
    for (let count = 0; count < 5; count += 1)
      expect((await stage.post("/webhooks/busy", {}, {})).status).toBe(401);
    const statuses: number[] = [];
    for (const wait of [0, 30_000, 29_000, 0, 1000, 0]) {
      stage.clock.advance(wait);
      statuses.push((await stage.post("/webhooks/busy", {})).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
  });
});

describe("each delivery runs once:", () => {
  const routes = { a: {}, b: {} };

  test("an id that comes again within an hour is a duplicate, on its route", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes } });
    const call = (route: string) => stage.post(`/webhooks/${route}`, ...signed({}, id("same")));
    expect((await call("a")).body).toMatchObject({ status: "accepted" });
    expect(await call("a")).toMatchObject({
      status: 200,
      body: { status: "duplicate", delivery_id: "same" },
    });
    expect((await call("b")).body).toMatchObject({ status: "accepted" });
    await stage.worker.idle();
    stage.clock.advance(3_600_001);
    expect((await call("a")).body).toMatchObject({ status: "accepted" });
    await stage.worker.idle();
    expect(model.requests).toHaveLength(3);
    expect((await stage.calls.list({ limit: 9 })).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  test("what a dead process had accepted and not begun is run by another one", async () => {
    const machine = new Machine();
    const model = scriptedModel();
    const stuck = gate();
    const busy = scriptedModelWith({ otherwise: () => [wait(stuck)] });
    const doomed = await webhookProcess(machine, busy, { extra: { routes, max_concurrent_runs: 1 } });
    await doomed.post("/webhooks/a", ...signed({ n: 1 }, id("first")));
    await stuck.reached;
    expect((await doomed.post("/webhooks/a", ...signed({ n: 2 }, id("second")))).status).toBe(202);
    doomed.die();
    await using heir = await webhookProcess(machine, model, { extra: { routes } });
    expect((await heir.post("/webhooks/a", ...signed({ n: 2 }, id("second")))).body).toMatchObject({
      status: "duplicate",
    });
    await heir.worker.pollOnce();
    await heir.worker.idle();
    expect(model.requests).toHaveLength(1);
    expect(await heir.calls.get("a\nsecond")).toMatchObject({ status: "completed" });
    expect(await heir.calls.get("a\nfirst")).toMatchObject({
      status: "failed",
      error: expect.stringContaining("died"),
    });
    stuck.open();
    await doomed[Symbol.asyncDispose]();
  });

  test("a clock that is set back between taking a call and running it, and a crash then, run it once", async () => {
    const machine = new Machine();
    const hold = gate();
    const busy = scriptedModel([wait(hold)]);
    const doomed = await webhookProcess(machine, busy, { extra: { routes } });
    const accept = doomed.calls.accept.bind(doomed.calls);
    doomed.calls.accept = async (...args) => {
      const accepted = await accept(...args);
      machine.clock.set(machine.clock.now() - 3_600_000);
      return accepted;
    };
    expect((await doomed.post("/webhooks/a", ...signed({}, id("back")))).status).toBe(202);
    await hold.reached;
    doomed.die();
    const model = scriptedModel();
    await using heir = await webhookProcess(machine, model, { extra: { routes } });
    machine.clock.set(machine.clock.now() + 7_200_000);
    await heir.worker.pollOnce();
    await heir.worker.idle();
    expect(model.requests).toHaveLength(0);
    expect(await heir.calls.get("a\nback")).toMatchObject({
      status: "failed",
      error: expect.stringContaining("died"),
    });
    hold.open();
    await doomed[Symbol.asyncDispose]();
  });

  test("of many copies that arrive at the same time one is run", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes } });
    const copies = Array.from({ length: times(500) }, (_, index) =>
      stage.post("/webhooks/a", ...signed({}, id(`id-${index % 5}`))),
    );
    const answers = await Promise.all(copies);
    await stage.worker.idle();
    expect(answers.filter(({ body }) => body["status"] === "accepted")).toHaveLength(5);
    expect(model.requests).toHaveLength(5);
  });
});

describe("the connector refuses to start with", () => {
  test.each([
    ["a route without a secret", { routes: { a: {} } }, undefined, "routes.a.secret is missing"],
    [
      "an open route on a public address",
      { routes: { a: { secret: "INSECURE_NO_AUTH" } } },
      SECRET,
      "loopback only",
    ],
    [
      "a direct route into the log",
      { routes: { a: { deliver_only: true } } },
      SECRET,
      "deliver_only needs a target",
    ],
    [
      "a direct route into the log, said so",
      { routes: { a: { deliver_only: true, deliver: "log" } } },
      SECRET,
      "deliver_only",
    ],
    ["a route of a wrong shape", { routes: { a: { events: 7 } } }, SECRET, "events"],
    ["a route named like the built-in one", { routes: { agent: {} } }, SECRET, "built-in route"],
    ["a port that is none", { port: 99_999 }, SECRET, "port"],
  ])("%s", (...[, extra, secret, message]) => {
    expect(() => decodeWebhookSettings(extra, { secret })).toThrow(message);
  });

  test("an open route on loopback is allowed", () => {
    const extra = { host: "127.0.0.1", routes: { a: { secret: "INSECURE_NO_AUTH" } } };
    expect(decodeWebhookSettings(extra, {}).routes.get("a")).toMatchObject({ secret: "INSECURE_NO_AUTH" });
  });
});
