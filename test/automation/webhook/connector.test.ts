import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import type { Delivery, Sender } from "../../../src/automation/delivery/index.ts";
import { decodeWebhookSettings } from "../../../src/automation/webhook/index.ts";
import { openReverseProxy } from "../../../src/deployment/reverse-proxy/index.ts";
import { times } from "../../kit/counts.ts";
import { LeavingRecords } from "../../kit/leaving-records.ts";
import { Machine } from "../../kit/machine.ts";
import { fail, gate, say, scriptedModel, scriptedModelWith, wait } from "../../kit/scripted-model.ts";
import { SECRET, sign, signed, type WebhookProcess, webhookProcess, webhookStage } from "./stage.ts";

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

  test("answers when the store, which had no room for the end of the run, has room again; a prompt is run once", async () => {
    const full = new LeavingRecords("webhook.call", ["replace"]);
    const slow = gate();
    const model = scriptedModel([wait(slow), say("Hello.")]);
    await using stage = await webhookStage(model, { records: full.of });
    const answering = stage.post("/webhooks/agent", ...signed({ message: "Hi" }, id("d1")));
    await slow.reached;
    full.isAway = true;
    slow.open();
    await expect.poll(() => stage.reported.map(({ code }) => code)).toEqual(["store_unavailable"]);
    full.isAway = false;
    await stage.clock.untilPending();
    stage.clock.advance(1000);
    expect(await answering).toMatchObject({ status: 200, body: { response: "Hello." } });
    expect(model.requests).toHaveLength(1);
  });

  test("is not there without a good secret, or when it is switched off", async () => {
    await using off = await webhookStage(scriptedModel(), { extra: { agent_route: false } });
    expect(await off.post("/webhooks/agent", { message: "Hi" })).toMatchObject({
      status: 404,
      body: { error: "The route agent is off: agent_route is false" },
    });
    expect(decodeWebhookSettings({}, {}).builtInOff).toBe("WEBHOOK_SECRET is not set");
    expect(decodeWebhookSettings({}, { secret: "short" }).builtInOff).toMatch(
      /^WEBHOOK_SECRET has 5 characters/,
    );
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

  test("more than the rate allows at all hosts together", async () => {
    const machine = new Machine();
    const options = {
      extra: { rate_limit: 3, routes: { busy: { events: ["x"] }, calm: { events: ["x"] } } },
      isShared: true,
    };
    await using one = await webhookProcess(machine, scriptedModel(), options);
    await using two = await webhookProcess(machine, scriptedModel(), options);
    const post = async (process: WebhookProcess, route = "busy"): Promise<string> => {
      const { status, headers } = await process.post(`/webhooks/${route}`, {});
      return `${status} ${headers.get("retry-after") ?? ""}`.trimEnd();
    };
    const first = await Promise.all([one, two, one, two, one].map((process) => post(process)));
    expect(first.toSorted()).toEqual(["200", "200", "200", "429 61", "429 61"]);
    expect(await post(two, "calm")).toBe("200");
    machine.clock.advance(60_999);
    expect(await post(two)).toBe("429 1");
    machine.clock.advance(1);
    const next = await Promise.all([two, one, two, one].map((process) => post(process)));
    expect(next.toSorted()).toEqual(["200", "200", "200", "429 61"]);
    // A second later there is room for what was counted a minute before, and for no more.
    machine.clock.advance(60_000);
    expect([await post(one), await post(two)]).toEqual(["429 1", "429 1"]);
    machine.clock.advance(1_000);
    expect(await post(one)).toBe("200");
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
      stage.post("/webhooks/a", ...signed({ n: index % 5 }, id(`id-${index % 5}`))),
    );
    const answers = await Promise.all(copies);
    await stage.worker.idle();
    expect(answers.filter(({ body }) => body["status"] === "accepted")).toHaveLength(5);
    expect(model.requests).toHaveLength(5);
  });
});

describe("each signature runs once:", () => {
  const routes = { a: {}, direct: { prompt: "{who}", deliver: "chat", deliver_only: true } };

  test("under another id, without one, and in the header of another scheme; on its own route, for an hour", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes: { ...routes, b: {} } } });
    const [body, headers] = signed({ n: 1 }, {});
    const call = async (more: Readonly<Record<string, string>>, route = "a") =>
      (await stage.post(`/webhooks/${route}`, body, more)).body["status"];
    expect(await call({ ...headers, "x-github-delivery": "first" })).toBe("accepted");
    expect(await call({ ...headers, "x-github-delivery": "second" })).toBe("duplicate");
    expect(await call(headers)).toBe("duplicate");
    const digest = headers["x-hub-signature-256"]?.slice("sha256=".length) ?? "";
    expect(await call({ "x-webhook-signature": digest, "x-request-id": "third" })).toBe("duplicate");
    expect(await call({ "linear-signature": digest, "x-request-id": "fourth" })).toBe("duplicate");
    expect(await call({ ...headers, "x-github-delivery": "first" }, "b")).toBe("accepted");
    await stage.worker.idle();
    expect(model.requests).toHaveLength(2);
    stage.clock.advance(3_600_001);
    expect(await call({ ...headers, "x-github-delivery": "fifth" })).toBe("accepted");
    await stage.worker.idle();
  });

  test("of many that arrive at the same time one is run", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes } });
    const copies = Array.from({ length: times(50) }, (_, index) =>
      stage.post("/webhooks/a", ...signed({}, id(`id-${index}`))),
    );
    const statuses = (await Promise.all(copies)).map(({ status, body }) =>
      [status, body["status"]].join(" "),
    );
    await stage.worker.idle();
    expect(statuses.filter((each) => each === "202 accepted")).toHaveLength(1);
    // While the first one is being written, the others are told to try again.
    expect(statuses.filter((each) => !["202 accepted", "200 duplicate", "503 "].includes(each))).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  test("a sender that shows the secret may say the same again", async () => {
    await using stage = await webhookStage(scriptedModel(), { extra: { routes } });
    for (const name of ["one", "two"]) {
      const answer = await stage.post("/webhooks/a", "{}", {
        authorization: `Bearer ${SECRET}`,
        ...id(name),
      });
      expect(answer.body).toMatchObject({ status: "accepted", delivery_id: name });
    }
  });

  test("a delivery that failed at once may come again, also under another id", async () => {
    let failing = true;
    const chat: Sender = {
      retryMs: [],
      send: () => (failing ? Promise.reject(new HostError("delivery_failed", "no")) : Promise.resolve()),
    };
    await using stage = await webhookStage(scriptedModel(), { extra: { routes }, senders: { chat } });
    const call = async (name: string) =>
      (await stage.post("/webhooks/direct", ...signed({ who: "Ann" }, id(name)))).status;
    expect(await call("one")).toBe(502);
    failing = false;
    expect(await call("two")).toBe(200);
  });

  test("a signature whose call a dead process did not write is taken after ten seconds", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes } });
    const get = stage.calls.get.bind(stage.calls);
    expect((await stage.post("/webhooks/a", ...signed({}, id("lost")))).status).toBe(202);
    await stage.worker.idle();
    // As if only the signature had been written.
    stage.calls.get = () => Promise.resolve(undefined);
    expect((await stage.post("/webhooks/a", ...signed({}, id("again")))).status).toBe(503);
    stage.clock.advance(10_001);
    expect((await stage.post("/webhooks/a", ...signed({}, id("again")))).status).toBe(202);
    stage.calls.get = get;
    await stage.worker.idle();
    expect(model.requests).toHaveLength(2);
  });
});

describe("the delivery's id", () => {
  const withProof = (body: string, header: string, time: number) => {
    const mac = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");
    return header === "stripe"
      ? { "stripe-signature": `t=${time},v1=${mac(`${time}.${body}`)}` }
      : {
          "x-slack-request-timestamp": String(time),
          "x-slack-signature": `v0=${mac(`v0:${time}:${body}`)}`,
        };
  };

  test.each([
    ["code host B's key for retries", { "idempotency-key": "k1", "x-gitlab-event-uuid": "u1" }, "k1"],
    ["code host B's event", { "x-gitlab-event-uuid": "u1", "x-request-id": "of-a-proxy" }, "u1"],
    ["code host B's event, neutrally", { "x-hostb-event-uuid": "u1" }, "u1"],
    ["the issue tracker's", { "linear-delivery": "l1", "x-request-id": "of-a-proxy" }, "l1"],
  ])("is %s", async (_name, headers, expected) => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes: { a: {} } } });
    const call = (n: number) =>
      stage.post("/webhooks/a", JSON.stringify({ n }), { authorization: `Bearer ${SECRET}`, ...headers });
    expect((await call(1)).body).toMatchObject({ status: "accepted", delivery_id: expected });
    expect((await call(2)).body).toMatchObject({ status: "duplicate", delivery_id: expected });
    await stage.worker.idle();
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    ["stripe", { id: "evt_1", type: "charge" }, "evt_1"],
    ["slack", { event_id: "Ev1", type: "event_callback" }, "Ev1"],
  ])("is that in the body of %s, whose retries are signed anew", async (sender, payload, expected) => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes: { a: {} } } });
    const call = async () => {
      const body = JSON.stringify(payload);
      const headers = {
        ...withProof(body, sender, Math.floor(stage.clock.now() / 1000)),
        ...id("of-a-proxy"),
      };
      return (await stage.post("/webhooks/a", body, headers)).body;
    };
    expect(await call()).toMatchObject({ status: "accepted", delivery_id: expected, event: payload.type });
    stage.clock.advance(60_000);
    expect(await call()).toMatchObject({ status: "duplicate", delivery_id: expected });
    await stage.worker.idle();
    expect(model.requests).toHaveLength(1);
  });

  test("a messenger that asks whether the address is ours gets its text back, and nothing runs", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes: { a: {} } } });
    const body = JSON.stringify({ type: "url_verification", challenge: "c-1" });
    const proof = withProof(body, "slack", Math.floor(stage.clock.now() / 1000));
    expect(await stage.post("/webhooks/a", body, proof)).toMatchObject({
      status: 200,
      body: { challenge: "c-1" },
    });
    expect((await stage.post("/webhooks/a", body, { ...proof, "x-slack-signature": "v0=00" })).status).toBe(
      401,
    );
    expect(model.requests).toHaveLength(0);
  });
});

describe("web pages and strangers:", () => {
  const open = { host: "127.0.0.1", routes: { open: { secret: "INSECURE_NO_AUTH" }, closed: {} } };

  test.each([
    ["a page on another site", { origin: "https://evil.example" }],
    ["a page in a sandbox", { origin: "null" }],
    ["a page of this machine", { origin: "http://localhost:3000" }],
    ["a name that was made to point here", { host: "rebound.example" }],
    ["a name that was made to point here, with a port", { host: "rebound.example:8644" }],
    ["a proxy", { "x-forwarded-for": "6.6.6.6" }],
    ["another proxy", { forwarded: "for=6.6.6.6" }],
    ["a tunnel", { "cf-connecting-ip": "6.6.6.6" }],
    ["a gateway", { via: "1.1 gateway" }],
  ])("%s starts nothing on a route without a secret", async (_name, headers) => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: open });
    const { port } = new URL(stage.url);
    expect(await rawPost({ port, path: "/webhooks/open", headers })).toBe(403);
    expect(await stage.calls.list({ limit: 5 })).toEqual([]);
    expect(await rawPost({ port, path: "/webhooks/open", headers: { host: `localhost:${port}` } })).toBe(202);
    await stage.worker.idle();
    expect(model.requests).toHaveLength(1);
  });

  test("a route with a secret is called by any name and through proxies, but by no page", async () => {
    await using stage = await webhookStage(scriptedModel(), { extra: open });
    const { port } = new URL(stage.url);
    const post = (headers: Readonly<Record<string, string>>, n: number) =>
      rawPost({
        port,
        path: "/webhooks/closed",
        headers: { ...sign(`{"n":${n}}`), ...headers },
        body: `{"n":${n}}`,
      });
    expect(await post({ host: "hooks.example.org", "x-forwarded-for": "6.6.6.6" }, 1)).toBe(202);
    expect(await post({ origin: "https://evil.example" }, 2)).toBe(403);
  });

  test("the front address does not pass a route without a secret on, wherever its client is", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: open });
    const port = Number(new URL(stage.url).port);
    await using front = await openReverseProxy({
      host: "127.0.0.1",
      port: 0,
      upstreams: { api_server: port, webhook: port },
      log: () => undefined,
    });
    const through = (headers: Readonly<Record<string, string>>) =>
      rawPost({ port: String(front.port), path: "/webhooks/open", headers });
    expect(await through({})).toBe(403);
    expect(await through({ connection: "close, x-forwarded-for", host: "localhost" })).toBe(403);
    expect(await through({ "x-forwarded-for": "127.0.0.1" })).toBe(403);
    expect(model.requests).toHaveLength(0);
  });
});

describe("what cannot be delivered is not paid for:", () => {
  test("a call on a route whose target is gone is refused, and the owner is told", async () => {
    const model = scriptedModel();
    await using stage = await webhookStage(model, { extra: { routes: { a: { deliver: "telegrm" } } } });
    expect((await stage.post("/webhooks/a", {})).status).toBe(503);
    expect(model.requests).toHaveLength(0);
    expect(await stage.calls.list({ limit: 5 })).toEqual([]);
    expect(stage.reported).toMatchObject([{ message: expect.stringContaining('target "telegrm"') }]);
  });

  test("a failed run tells the target what failed, unless its caller was told", async () => {
    const sent: string[] = [];
    const chat: Sender = { retryMs: [], send: ({ text }) => Promise.resolve(void sent.push(text)) };
    const failing = () => fail(new HostError("provider_auth", "The key was refused."));
    await using stage = await webhookStage(scriptedModel([failing()], [failing()]), {
      extra: { routes: { a: { deliver: "chat" } } },
      senders: { chat },
    });
    expect((await stage.post("/webhooks/a", { event_type: "push" })).status).toBe(202);
    await stage.worker.idle();
    await stage.outbox.pollOnce();
    await stage.outbox.idle();
    expect(sent).toEqual(["The webhook a (push) failed: The key was refused."]);
    expect((await stage.post("/webhooks/a?wait=1", { n: 2 })).status).toBe(502);
    await stage.outbox.pollOnce();
    await stage.outbox.idle();
    expect(sent).toHaveLength(1);
  });
});

/** Posts with any header, `Host` among them. */
async function rawPost(call: {
  readonly port: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}): Promise<number | undefined> {
  const { port, path, headers, body = "{}" } = call;
  const sent = request({ host: "127.0.0.1", port, path, headers, method: "POST", agent: false }).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe("the connector refuses to start with", () => {
  const encoded = (text: string): string => `whsec_${Buffer.from(text).toString("base64")}`;
  test.each([
    ["changeme", "has 8 characters"],
    ["a", "has 1 characters"],
    ["   a              ", "has 1 characters"],
    ["whsec_", "has 6 characters"],
    ["whsec_%%", "has 8 characters"],
    ["whsec_%%%%%%%%%%%%%%%%%%%%", "no base64"],
    [encoded("only-15-bytes.."), "has 15 bytes"],
    [encoded("\0".repeat(32)), "placeholder"],
    ["changeme-changeme-changeme", "placeholder"],
    ["your-secret-goes-here-please", "placeholder"],
    ["secretsecretsecret", "placeholder"],
    ["xxxxxxxxxxxxxxxxxxxx", "placeholder"],
  ])("the secret %j, be it a route's or the global one", (secret, message) => {
    expect(() => decodeWebhookSettings({ routes: { a: { secret } } }, {})).toThrow(
      new RegExp(`routes\\.a\\.secret .*${message}`),
    );
    expect(() => decodeWebhookSettings({ routes: { a: {} } }, { secret })).toThrow(
      new RegExp(`WEBHOOK_SECRET, which the route a uses, .*${message}`),
    );
    const off = decodeWebhookSettings({}, { secret });
    expect([off.routes.size, off.secretFault]).toEqual([0, expect.stringContaining(message)]);
  });

  test.each([encoded("16 bytes exactly"), "0123456789abcdef", "ein-Geheimnis-mit-ü"])(
    "not with the secret %j",
    (secret) => {
      expect(decodeWebhookSettings({ routes: { a: { secret } } }, {}).routes.size).toBe(1);
      expect(decodeWebhookSettings({}, { secret }).routes.has("agent")).toBe(true);
    },
  );

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
