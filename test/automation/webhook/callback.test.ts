import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { guardedFetcher } from "../../../src/providers/fetch/index.ts";
import { CALLBACK_TARGET, callbackSender } from "../../../src/automation/webhook/index.ts";
import { type HandClock, handClock } from "../../kit/clock.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { Machine } from "../../kit/machine.ts";
import { SECRET, sign, webhookProcess } from "./stage.ts";

interface Call {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A receiver of callbacks that answers as told. */
async function receiver(answer: (call: number, response: ServerResponse) => void) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      calls.push({ headers: request.headers, body });
      answer(calls.length, response);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/done`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const status = (code: number) => (_call: number, response: ServerResponse) =>
  void response.writeHead(code).end();

function sender(clock: HandClock, allow: readonly string[] = ["127.0.0.0/8"]) {
  const fetcher = guardedFetcher({
    clock,
    allow,
    resolve: () => Promise.resolve([{ address: "169.254.169.254", family: 4 }]),
  });
  return callbackSender({
    secret: SECRET,
    clock,
    async post({ url, headers, body, signal }) {
      const sent = await fetcher.fetch({
        url,
        method: "POST",
        headers,
        body,
        signal,
        maxBytes: 1000,
        timeoutMs: 10_000,
      });
      return { status: sent.status };
    },
  });
}

/** Asks the built-in route for a callback, and lets the outbox try as often as it will. */
async function callBack(url: string, allow?: readonly string[]) {
  const machine = new Machine();
  const clock = handClock();
  await using stage = await webhookProcess(machine, scriptedModel([say("Done.")]), {
    senders: { [CALLBACK_TARGET]: sender(clock, allow) },
  });
  const body = JSON.stringify({ message: "Hi", callback_url: url });
  const answer = await stage.post("/webhooks/agent", body, { ...sign(body), "x-request-id": "d1" });
  await stage.worker.idle();
  for (let look = 0; look < 8; look += 1) {
    await stage.outbox.pollOnce();
    await stage.outbox.idle();
    stage.clock.advance(4000);
  }
  const [delivery] = await stage.outbox.list({ limit: 5 });
  return { answer, delivery };
}

test("a call with a callback address is accepted at once, and its answer posted, signed in both ways", async () => {
  await using other = await receiver(status(200));
  const { answer, delivery } = await callBack(other.url);
  expect(answer).toMatchObject({
    status: 202,
    body: { status: "accepted", reply: "callback", route: "agent", delivery_id: "d1" },
  });
  expect(delivery).toMatchObject({ status: "delivered", attempts: 1 });
  const [call] = other.calls;
  const { headers, body = "" } = call ?? {};
  expect(JSON.parse(body)).toEqual({
    status: "completed",
    response: "Done.",
    route: "agent",
    delivery_id: "d1",
  });
  expect(headers?.["x-agent-delivery"]).toBe("d1");
  expect(headers?.["x-webhook-signature"]).toBe(createHmac("sha256", SECRET).update(body).digest("hex"));
  const standard = createHmac("sha256", SECRET).update(
    `d1.${String(headers?.["webhook-timestamp"])}.${body}`,
  );
  expect(headers?.["webhook-signature"]).toBe(`v1,${standard.digest("base64")}`);
});

describe("a receiver that", () => {
  test.each([
    ["fails", status(500), 4],
    ["is overloaded", status(503), 4],
    ["says that the call is wrong", status(404), 1],
    [
      "sends us elsewhere",
      (_call: number, response: ServerResponse) =>
        void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      1,
    ],
    ["cuts the connection", (_call: number, response: ServerResponse) => void response.destroy(), 4],
  ])("%s is tried at most as often as promised, and the failure is kept", async (_name, answer, tries) => {
    await using other = await receiver(answer);
    const { delivery } = await callBack(other.url);
    expect(other.calls).toHaveLength(tries);
    expect(delivery).toMatchObject({ status: "failed", attempts: tries, error: expect.any(String) });
    expect(new Set(other.calls.map(({ body }) => body)).size).toBe(1);
  });

  test("fails twice and then takes it gets it", async () => {
    await using other = await receiver(
      (call, response) => void response.writeHead(call < 3 ? 502 : 204).end(),
    );
    const { delivery } = await callBack(other.url);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 3 });
  });
});

test("a receiver that never answers is given up after ten seconds, each time, and the failure is kept", async () => {
  await using other = await receiver(() => undefined);
  const machine = new Machine();
  const clock = handClock();
  await using stage = await webhookProcess(machine, scriptedModel([say("Done.")]), {
    senders: { [CALLBACK_TARGET]: sender(clock) },
  });
  await stage.post("/webhooks/agent", { message: "Hi", callback_url: other.url });
  await stage.worker.idle();
  for (let tried = 1; tried <= 4; tried += 1) {
    await stage.outbox.pollOnce();
    while (other.calls.length < tried) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
    await stage.outbox.idle();
    stage.clock.advance(4000);
  }
  await stage.outbox.pollOnce();
  expect(other.calls).toHaveLength(4);
  expect(await stage.outbox.list({ limit: 1 })).toMatchObject([
    { status: "failed", attempts: 4, error: expect.stringContaining("10 s") },
  ]);
});

test.each([
  "http://metadata.internal/latest",
  "http://169.254.169.254/latest",
  "http://[fd00:ec2::254]/latest",
])(
  "a callback to %s, which leads to a cloud's metadata, is refused after its name was resolved",
  async (url) => {
    const { delivery } = await callBack(url);
    expect(delivery).toMatchObject({
      status: "failed",
      attempts: 1,
      error: expect.stringContaining("private address"),
    });
  },
);

test("a callback to a private address follows the owner's policy", async () => {
  await using other = await receiver(status(200));
  const { delivery } = await callBack(other.url, []);
  expect(delivery).toMatchObject({ status: "failed" });
  expect(other.calls).toEqual([]);
});
