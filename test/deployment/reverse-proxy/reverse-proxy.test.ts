import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openReverseProxy } from "../../../src/deployment/reverse-proxy/index.ts";
import { discardRest } from "../../../src/http/server/rest-of-body.ts";
import { times } from "../../kit/counts.ts";

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
}

/** An upstream that echoes, streams, and takes WebSockets. */
async function upstream(name: string) {
  const seen: Seen[] = [];
  const open = new Set<{ write(text: string): void }>();
  const server = createServer((incoming, response) => {
    discardRest(incoming, response);
    seen.push({ url: incoming.url ?? "", headers: incoming.headers });
    if (incoming.url?.includes("/stream") === true) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: first\n\n");
      open.add(response);
      response.on("close", () => open.delete(response));
      return;
    }
    if (incoming.url?.includes("/refused") === true) return void response.writeHead(413).end();
    incoming
      .resume()
      .on("end", () => response.writeHead(200, { "x-from": name }).end(`${name} ${incoming.url}`));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) =>
    socket.on("message", (data) =>
      socket.send(Buffer.concat([Buffer.from("echo "), data as Buffer]).toString()),
    ),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { seen, open, port: (server.address() as AddressInfo).port, server };
}

async function stage() {
  const api = await upstream("api");
  const webhook = await upstream("webhook");
  const front = await openReverseProxy({
    host: "127.0.0.1",
    port: 0,
    upstreams: { api_server: api.port, webhook: webhook.port },
    log: () => undefined,
  });
  return {
    api,
    webhook,
    front,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      for (const { server } of [api, webhook]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Asks with a request line as it is written here. */
async function raw(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const piece of socket.setEncoding("utf8")) text += String(piece);
  return text;
}

test("what is below /v1/ and /webhooks/ goes on as it comes, under the upstream's own name", async () => {
  await using site = await stage();
  const answer = await fetch(`${site.front.url}/v1/models?a=%20b`, {
    headers: {
      authorization: "Bearer k",
      "x-forwarded-for": "6.6.6.6",
      "x-real-ip": "6.6.6.6",
      forwarded: "for=6.6.6.6",
    },
  });
  expect([answer.status, await answer.text(), answer.headers.get("x-from")]).toEqual([
    200,
    "api /v1/models?a=%20b",
    "api",
  ]);
  const [{ headers }] = site.api.seen as [Seen];
  expect(headers).toMatchObject({
    authorization: "Bearer k",
    host: `127.0.0.1:${site.api.port}`,
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "http",
  });
  expect(headers).not.toHaveProperty("x-real-ip");
  expect(headers).not.toHaveProperty("forwarded");
  const hook = await fetch(`${site.front.url}/webhooks/agent`, { method: "POST", body: "x".repeat(100_000) });
  expect(await hook.text()).toBe("webhook /webhooks/agent");
});

test("nothing else is reachable, whatever the path and headers are", async () => {
  await using site = await stage();
  const tricks = [
    "/",
    "/v1",
    "/health",
    "/api/jobs",
    "/api/sessions",
    "/API/jobs",
    "//api/jobs",
    "/v1/../api/jobs",
    "/v1/..%2fapi/jobs",
    "/v1/%2e%2e/api/jobs",
    "/v1/.%2E/api/jobs",
    "/v1/..\\api/jobs",
    "/v1\\..\\api",
    "/v1/..;/api/jobs",
    "/v1/./../api",
    "/v1/%252e%252e/api",
    "/V1/../api",
    "/v1//../api/jobs",
    "/webhooks/../api/jobs",
    "/webhooks/%2e%2e/%2e%2e/api",
    "http://127.0.0.1:1/v1/x",
    "https://evil.example/v1/x",
    "*",
    "/v1/\u00e9",
    "/v1/x#/../api",
    "/v1/%5c..%5capi",
    "/v1/%00",
    "/v1/x%0d%0aX:y",
    "/v1/x%7f",
    "/webhooksX/a",
    "/v1x/a",
    "/..//v1/x",
  ];
  for (const path of tricks) {
    const answer = await raw(site.front.port, [`GET ${path} HTTP/1.1`, "Host: front"]);
    expect([path, answer.slice(0, 12)]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 40[04]/)]);
  }
  expect([...site.api.seen, ...site.webhook.seen]).toEqual([]);
  // A name in the Host header changes nothing, and headers of one connection stay there.
  await raw(site.front.port, [
    "GET /v1/x HTTP/1.1",
    "Host: 10.0.0.1:9",
    "X-Original-URL: /api/jobs",
    "Connection: close, x-secret",
    "X-Secret: 1",
  ]);
  expect(site.api.seen).toMatchObject([{ url: "/v1/x", headers: { host: `127.0.0.1:${site.api.port}` } }]);
  expect(site.api.seen[0]?.headers).not.toHaveProperty("x-secret");
});

test.each([
  [["POST /v1/x HTTP/1.1", "Host: f", "Content-Length: 4", "Transfer-Encoding: chunked"]],
  [["POST /v1/x HTTP/1.1", "Host: f", "Content-Length: 4", "Content-Length: 5"]],
  [["POST /v1/x HTTP/1.1", "Host: f", "Transfer-Encoding: xchunked"]],
  [["GET /v1/x HTTP/1.1"]],
])("a request that servers read differently is refused: %j", async (lines) => {
  await using site = await stage();
  expect(await raw(site.front.port, lines)).toMatch(/^HTTP\/1\.1 400/);
  expect(site.api.seen).toEqual([]);
});

test("a connector that is off answers 503 connector_not_enabled", async () => {
  const front = await openReverseProxy({
    host: "127.0.0.1",
    port: 0,
    upstreams: { api_server: 1, webhook: 1 },
    log: () => undefined,
  });
  for (const [path, connector] of [
    ["/v1/models", "api_server"],
    ["/webhooks/agent", "webhook"],
  ] as const) {
    const answer = await fetch(`${front.url}${path}`, { method: "POST", body: "x".repeat(1000) });
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: "connector_not_enabled", connector },
    ]);
  }
  await front[Symbol.asyncDispose]();
});

test("a client that first sends all of a large body gets to read why it is refused", async () => {
  await using it = await stage();
  const body = new Uint8Array(8_000_000);
  const post = async (path: string): Promise<number> => {
    const answer = await fetch(`${it.front.url}${path}`, { method: "POST", body });
    await answer.text();
    return answer.status;
  };
  for (let count = 0; count < 3; count += 1) {
    expect(await post("/v1/refused")).toBe(413);
    expect(await post("/api/refused")).toBe(404);
  }
});

test("an offer of HTTP/2 is passed over: the request goes on without it", async () => {
  await using it = await stage();
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABk",
  };
  const call = request(`${it.front.url}/v1/models`, { headers, agent: false }).end();
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  expect(Object.keys(it.api.seen[0]?.headers ?? {})).not.toContain("upgrade");
  expect(Object.keys(it.api.seen[0]?.headers ?? {})).not.toContain("http2-settings");
});

describe("streams", () => {
  test("come through frame by frame, and end at the upstream when the reader leaves", async () => {
    await using site = await stage();
    const leave = new AbortController();
    const answer = await fetch(`${site.front.url}/v1/stream`, { signal: leave.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: "data: first\n\n" });
    const [response] = site.api.open;
    response?.write("data: second\n\n");
    expect(await reader?.read()).toEqual({ done: false, value: "data: second\n\n" });
    leave.abort();
    while (site.api.open.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("many at a time", async () => {
    await using site = await stage();
    const count = times(1000);
    const readers = Array.from({ length: count }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const asked = request(`${site.front.url}/v1/stream`, { agent: false }, (answer) =>
        answer.on("data", (data) => resolve(String(data))),
      );
      asked.on("error", reject).end();
      const text = await promise;
      return { text, asked };
    });
    const all = await Promise.all(readers);
    expect(all.every(({ text }) => text === "data: first\n\n")).toBe(true);
    expect(site.api.open.size).toBe(count);
    for (const { asked } of all) asked.on("error", () => undefined).destroy();
  });

  test("WebSockets go both ways, and only where requests may go", async () => {
    await using site = await stage();
    const socket = new WebSocket(`${site.front.url.replace("http", "ws")}/v1/socket`);
    await once(socket, "open");
    socket.send("hi");
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(String(data)).toBe("echo hi");
    socket.close();
    const refused = new WebSocket(`${site.front.url.replace("http", "ws")}/api/ws`);
    const [error] = (await once(refused, "error")) as [Error];
    expect(error.message).toContain("404");
  });
});

test("the gateway's WebSocket is passed on when it is told to, and nothing else of /api", async () => {
  const api = await upstream("api");
  const options = { host: "127.0.0.1", port: 0, log: () => undefined };
  const upstreams = { api_server: api.port, webhook: api.port };
  await using closed = await openReverseProxy({ ...options, upstreams });
  await using open = await openReverseProxy({ ...options, upstreams, gateway: true });
  const socket = new WebSocket(`${open.url.replace("http", "ws")}/api/ws?token=x`);
  await once(socket, "open");
  socket.send("hi");
  const [echo] = (await once(socket, "message")) as [Buffer];
  expect(echo.toString()).toBe("echo hi");
  socket.close();
  for (const url of [`${closed.url}/api/ws`, `${open.url}/api/wsx`, `${open.url}/api/ws/more`]) {
    const refused = new WebSocket(url.replace("http", "ws"));
    const [, answer] = (await once(refused, "unexpected-response")) as [unknown, IncomingMessage];
    expect([url, answer.statusCode]).toEqual([url, 404]);
    answer.destroy();
  }
  expect((await fetch(`${open.url}/api/ws`)).status).toBe(404);
  api.server.closeAllConnections();
  api.server.close();
});

test("pages go to the dashboard where there is one, and nothing of the other servers does", async () => {
  const [api, pages] = [await upstream("api"), await upstream("pages")];
  const options = { host: "127.0.0.1", port: 0, log: () => undefined };
  const upstreams = { api_server: api.port, webhook: api.port };
  await using without = await openReverseProxy({ ...options, upstreams });
  await using front = await openReverseProxy({
    ...options,
    upstreams: { ...upstreams, dashboard: pages.port },
  });
  for (const path of ["/", "/sessions/abc?tab=2", "/dashboard/api/sign-in", "/app"]) {
    expect([path, (await fetch(`${front.url}${path}`)).status]).toEqual([path, 200]);
    expect([path, (await fetch(`${without.url}${path}`)).status]).toEqual([path, 404]);
  }
  for (const path of ["/api/jobs", "/api", "/v1", "/health", "/health/detailed", "/metrics", "/webhooks"])
    expect([path, (await fetch(`${front.url}${path}`)).status]).toEqual([path, 404]);
  const socket = new WebSocket(`${front.url.replace("http", "ws")}/dashboard/api/ws`);
  await once(socket, "open");
  socket.close();
  for (const { server } of [api, pages]) {
    server.closeAllConnections();
    server.close();
  }
  expect((await fetch(`${front.url}/sessions`)).status).toBe(503);
});
