import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { secretCheck } from "../../src/shared/crypto/secret-check.ts";
import { GatewayClient, webSocket } from "../../src/rpc/client/index.ts";
import { SocketGateway, type SocketListener } from "../../src/rpc/index.ts";
import { handClock } from "../kit/clock.ts";
import { CommandStage } from "../kit/command.ts";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { untilTrue } from "../kit/test-host.ts";
import { rawRequest } from "../http/stage.ts";
import { bareSocket } from "./bare-socket.ts";
import { GatewayStage } from "./gateway-stage.ts";

const TOKEN = "a-token-of-the-test";

interface Served extends AsyncDisposable {
  readonly stage: GatewayStage;
  readonly listener: SocketListener;
  readonly url: string;
}

async function serve(
  models = scriptedModel(),
  options: Partial<ConstructorParameters<typeof SocketGateway>[1]> = {},
): Promise<Served> {
  const limits = { ...DEFAULT_POLICY.limits, replyText: 20_000_000 };
  const stage = await GatewayStage.open(models, { policy: { ...DEFAULT_POLICY, limits } });
  const socket = new SocketGateway((wire) => stage.gateway.accept(wire), {
    admission: { isCredential: secretCheck(TOKEN), origins: ["https://friend.example"] },
    ...options,
  });
  const listener = await socket.listen({ host: "127.0.0.1", port: 0 });
  return {
    stage,
    listener,
    url: `${listener.url}?token=${TOKEN}`,
    async [Symbol.asyncDispose]() {
      stage.gateway.close();
      socket.close();
      await listener.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

describe("who may connect", () => {
  let served: Served;
  beforeAll(async () => void (served = await serve()));
  afterAll(() => served[Symbol.asyncDispose]());
  const headers = { authorization: `Bearer ${TOKEN}` };

  test.each([
    ["a bearer token", () => ({ url: served.listener.url, options: { headers } })],
    ["a token in the address", () => ({ url: served.url, options: {} })],
    [
      "a page of the server itself",
      () => ({ url: served.url, options: { origin: new URL(served.url).origin.replace("ws", "http") } }),
    ],
    ["a page that is allowed", () => ({ url: served.url, options: { origin: "https://friend.example" } })],
    ["a program with an origin of its own", () => ({ url: served.url, options: { origin: "file://" } })],
  ])("%s gets in", async (_name, how) => {
    const { url, options } = how();
    await using client = await bareSocket(url, options);
    expect(await client.call("gateway.ping")).toMatchObject({ ok: true });
  });

  test.each([
    [401, "nothing", () => ({ url: served.listener.url, options: {} })],
    [401, "a wrong token", () => ({ url: `${served.listener.url}?token=other`, options: {} })],
    [403, "another host name", () => ({ url: served.url, options: { headers: { host: "evil.example" } } })],
    [403, "a foreign page", () => ({ url: served.url, options: { origin: "https://evil.example" } })],
    [403, "a page without an origin", () => ({ url: served.url, options: { origin: "null" } })],
    [404, "another path", () => ({ url: served.url.replace("/api/ws", "/other"), options: {} })],
  ])("%i is the answer to %s", async (status, _name, how) => {
    const { url, options } = how();
    await expect(bareSocket(url, options)).rejects.toThrow(`Unexpected server response: ${status}`);
  });

  test.each([
    [401, "unauthorized", "host: localhost"],
    [403, "host_not_allowed", "host: evil.example"],
    [400, null, `host: localhost\r\nauthorization: Bearer ${TOKEN}`],
  ])("%i is answered in the form of all HTTP answers", async (status, code, headers) => {
    const bytes = `GET /api/ws HTTP/1.1\r\n${headers}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`;
    const [head = "", body = ""] = (await rawRequest(served.listener.port, bytes)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*x-content-type-options: nosniff`, "s"));
    expect(JSON.parse(body)).toEqual({
      error: { message: expect.any(String), type: "invalid_request_error", param: null, code },
    });
  });

  test("a client is told in words why it may not, and does not try again", async () => {
    await using client = new GatewayClient({ connect: webSocket(served.listener.url, { token: "wrong" }) });
    await expect(client.ready).rejects.toThrow(/answered 401: the token is missing or wrong/);
    const tokenFrom = "MY_TOKEN holds it";
    await using named = new GatewayClient({
      connect: webSocket(served.listener.url, { token: "wrong", tokenFrom }),
    });
    await expect(named.ready).rejects.toThrow(/the token is missing or wrong\. MY_TOKEN holds it/);
    expect(client.state).toBe("closed");
  });
});

test("two clients chat on one session over real sockets", async () => {
  await using served = await serve(scriptedModel([say("Hello "), say("you.")]));
  await using first = await bareSocket(served.url);
  await using second = new GatewayClient({ connect: webSocket(served.listener.url, { token: TOKEN }) });
  const { session_id: id } = await first.call("session.create", {});
  await second.request("session.resume", { session_id: id });
  const events = second.events();
  await first.call("prompt.submit", { session_id: id, text: "hi" });
  let text = "";
  for await (const event of events) {
    if (event.type === "message.delta") text += event.payload.text;
    if (event.type === "message.complete") break;
  }
  await first.ended(id);
  expect([text, first.text(id)]).toEqual(["Hello you.", "Hello you."]);
});

test("frames that are too large close the connection with 1009, and only that one", async () => {
  await using served = await serve(scriptedModel(), { largest: 1000 });
  await using large = await bareSocket(served.url);
  await using other = await bareSocket(served.url);
  large.socket.send("x".repeat(2000));
  expect(await large.closed).toMatchObject({ code: 1009 });
  expect(await other.call("gateway.ping")).toMatchObject({ ok: true });
});

test("a binary frame with text in it is a message", async () => {
  await using served = await serve();
  await using client = await bareSocket(served.url);
  client.socket.send(Buffer.from('{"id":"b","method":"gateway.ping"}'));
  expect(await client.frame(({ id }) => id === "b")).toMatchObject({ result: { ok: true } });
});

test("who does not answer a ping is let go of at the next one", async () => {
  const clock = handClock();
  await using served = await serve(scriptedModel(), { clock });
  await using good = await bareSocket(served.url);
  await using dead = await bareSocket(served.url, { autoPong: false });
  const pinged = once(good.socket, "ping");
  const asked = once(dead.socket, "ping");
  clock.advance(20_000);
  await Promise.all([pinged, asked]);
  await good.call("gateway.ping");
  clock.advance(20_000);
  expect(await dead.closed).toMatchObject({ code: 1006 });
  expect(await good.call("gateway.ping")).toMatchObject({ ok: true });
});

test("a reader that stalls holds up nobody, and gets everything when it reads again", async () => {
  const size = 40_000;
  const words = Array.from({ length: 200 }, (_none, index) => `${index} ${"x".repeat(size)} `);
  const hold = gate();
  await using served = await serve(scriptedModel([wait(hold), ...words.map((word) => say(word))]));
  await using good = await bareSocket(served.url);
  await using stalled = await bareSocket(served.url);
  const { session_id: id } = await good.call("session.create", {});
  await stalled.call("session.resume", { session_id: id });
  await good.call("prompt.submit", { session_id: id, text: "go" });
  await hold.reached;
  stalled.socket.pause();
  hold.open();
  await good.ended(id);
  const whole = words.join("");
  // The texts are too long to be shown.
  expect(good.text(id) === whole).toBe(true);
  expect(stalled.text(id).length).toBeLessThan(whole.length);
  stalled.socket.resume();
  await stalled.ended(id);
  await stalled.event("message.complete");
  expect(stalled.text(id) === whole).toBe(true);
});

test("a peer that leaves in the middle of the handshake does no harm", async () => {
  await using served = await serve();
  const raw = connect(served.listener.port, "127.0.0.1");
  await once(raw, "connect");
  raw.write("GET /api/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgr");
  raw.destroy();
  await using client = await bareSocket(served.url);
  expect(await client.call("gateway.ping")).toMatchObject({ ok: true });
});

test("it can be mounted on a server of one's own", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const server = createServer((_request, response) => response.end("mine"));
  const socket = new SocketGateway((wire) => stage.gateway.accept(wire), {
    admission: { isCredential: secretCheck(TOKEN) },
  });
  socket.mount(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(await answer.text()).toBe("mine");
  await using client = await bareSocket(`ws://127.0.0.1:${port}/api/ws?token=${TOKEN}`);
  expect(await client.call("gateway.ping")).toMatchObject({ ok: true });
  socket.close();
  server.closeAllConnections();
  server.close();
});

test("agent rpc --listen shows a ready address once, and ends its clients with a reason", async () => {
  await using stage = new CommandStage();
  const first = stage.start(["rpc", "--listen", "127.0.0.1:0"]);
  const shown = Promise.withResolvers<string>();
  first.child.stderr.on("data", (text: string) => {
    const url = /ws:\S+/.exec(text)?.[0];
    if (url !== undefined) shown.resolve(url);
  });
  const url = await shown.promise;
  expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/api\/ws\?token=[\w-]{32}$/);
  const token = (await stage.ask(["gateway", "token"])).stdout.trim();
  expect(url).toContain(token);
  await using client = await bareSocket(url);
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "count to 3" });
  await client.ended(id);
  expect(client.text(id)).toBe("1 2 3");
  first.child.kill("SIGTERM");
  expect(await client.closed).toEqual({ code: 1001, reason: "The gateway is shutting down." });
  expect(client.events.map(({ type }) => type)).toContain("gateway.draining");
  expect(await first.end).toMatchObject({ code: 0, stdout: "" });

  const second = stage.start(["rpc", "--listen", "0"]);
  let said = "";
  second.child.stderr.on("data", (text: string) => (said += text));
  await untilTrue(() => said.includes("\n"));
  expect(said).toContain("the token is in");
  expect(said).not.toContain("token=");
  second.child.kill("SIGTERM");
  await second.end;
});

test("an address that cannot be used is an error with the remedy", async () => {
  await using stage = new CommandStage();
  expect(await stage.ask(["rpc", "--listen", "here:there"])).toMatchObject({
    code: 2,
    stderr: 'agent: --listen takes host:port, such as 127.0.0.1:8645, not "here:there".\n',
  });
});
