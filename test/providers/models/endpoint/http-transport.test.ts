import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ByteSource } from "../../../../src/providers/models/endpoint/byte-source.ts";
import { openHttpTransport } from "../../../../src/providers/models/endpoint/http-transport.ts";
import { startModelServer } from "../../../kit/model-server/index.ts";
import { startProxy } from "../../../kit/proxy.ts";

const signal = new AbortController().signal;

async function get(url: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  await using transport = openHttpTransport(env);
  const answer = await transport.send({
    method: "POST",
    url,
    headers: { accept: "*/*" },
    body: "{}",
    signal,
  });
  return Buffer.from(await new ByteSource(answer.body).readUpTo(1_000_000)).toString();
}

describe("a body", () => {
  const text = "data: {}\n\n".repeat(100);

  test.each([
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["identity", Buffer.from(text)],
    ["of-its-own", Buffer.from(text)],
  ])("encoded as %s is read", async (encoding, body) => {
    await using server = await startModelServer();
    server.script({ status: 200, headers: { "content-encoding": encoding }, body });
    expect(await get(`${server.baseUrl}/chat/completions`)).toBe(text);
  });

  test("that only says it is compressed breaks when it is read", async () => {
    await using server = await startModelServer();
    server.script({ status: 200, headers: { "content-encoding": "gzip" }, body: text });
    await using transport = openHttpTransport({});
    const answer = await transport.send({
      method: "POST",
      url: `${server.baseUrl}/chat/completions`,
      headers: {},
      body: "{}",
      signal,
    });
    await expect(new ByteSource(answer.body).read()).rejects.toMatchObject({ code: "Z_DATA_ERROR" });
  });
});

test("a redirect is an answer like any other", async () => {
  await using elsewhere = await startModelServer({ answer: () => ({ status: 200, body: "caught" }) });
  await using server = await startModelServer();
  server.script({ status: 307, headers: { location: `${elsewhere.baseUrl}/chat/completions` } });
  await using transport = openHttpTransport({});
  const answer = await transport.send({
    method: "POST",
    url: `${server.baseUrl}/chat/completions`,
    headers: {},
    body: "{}",
    signal,
  });
  expect(answer.status).toBe(307);
  expect(elsewhere.requests).toEqual([]);
});

test("calls that follow each other use one connection, and a name in the address is not sent", async () => {
  const heads: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heads.push(request.headers);
    request.resume().on("end", () => response.end("done"));
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await using transport = openHttpTransport({});
  for (const body of ["{}", "ü"]) {
    const answer = await transport.send({
      method: "POST",
      url: `http://name:word@127.0.0.1:${port}/v1?a=b`,
      headers: { "x-own": "1" },
      body,
      signal,
    });
    expect(answer.status).toBe(200);
    expect((await new ByteSource(answer.body).readUpTo(100)).toString()).toBe("done");
    // The connection is free when the body has closed.
    if (!answer.body.closed) await once(answer.body, "close");
  }
  expect(connections).toBe(1);
  expect(heads.map((head) => head["content-length"])).toEqual(["2", "2"]);
  expect(heads[0]).toMatchObject({ "x-own": "1", host: `127.0.0.1:${port}` });
  expect(heads[0]).not.toHaveProperty("authorization");
  server.close();
});

test.each([
  ["directly", () => ({})],
  ["through a proxy", (port: number) => ({ http_proxy: `http://127.0.0.1:${port}` })],
])("pieces arrive as one body of known length, sent %s", async (_way, envFor) => {
  const got: { readonly length: string | undefined; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      got.push({ length: request.headers["content-length"], body: Buffer.concat(chunks).toString() });
      response.end("done");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const env = envFor(port);
  const host = Object.keys(env).length > 0 ? "models.example.com" : `127.0.0.1:${port}`;
  await using transport = openHttpTransport(env);
  const texts = Array.from({ length: 40 }, (_, place) => `ü${place}`.repeat(place * 1000));
  for (const pieces of [texts, ["{}"], []]) {
    const body = pieces.map((text) => Buffer.from(text));
    const url = `http://${host}/v1`;
    const answer = await transport.send({ method: "POST", url, headers: {}, body, signal });
    expect(Buffer.from(await new ByteSource(answer.body).readUpTo(100)).toString()).toBe("done");
  }
  expect(got.map(({ body }) => body)).toEqual([texts.join(""), "{}", ""]);
  expect(got.map(({ length }) => length)).toEqual(got.map(({ body }) => String(Buffer.byteLength(body))));
  server.close();
});

test("an answer that breaks in the middle fails when it is read, and so does one that is aborted", async () => {
  const server = createServer((request, response) => {
    response.write("half");
    if (request.url === "/broken") setImmediate(() => request.socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await using transport = openHttpTransport({});
  const ended = async (path: string, abort = new AbortController()) => {
    const url = `http://127.0.0.1:${port}/${path}`;
    const { body } = await transport.send({ method: "GET", url, headers: {}, signal: abort.signal });
    const source = new ByteSource(body);
    expect(Buffer.from((await source.read()) ?? []).toString()).toBe("half");
    abort.abort();
    await source.read();
  };
  await expect(ended("broken", { signal, abort: () => undefined })).rejects.toMatchObject({
    code: "ECONNRESET",
  });
  await expect(ended("aborted")).rejects.toThrow("aborted");
  server.close();
});

describe("a proxy of the environment", () => {
  test("is used for hosts of elsewhere", async () => {
    await using proxy = await startProxy();
    for (const env of [{ HTTP_PROXY: proxy.url }, { http_proxy: proxy.url }]) {
      expect(await get("http://models.example.com/v1/chat/completions", env)).toBe("through the proxy");
    }
    const asked = "http://models.example.com/v1/chat/completions";
    expect(proxy.asked).toEqual([asked, asked]);
  });

  test("leads to hosts with a certificate through a tunnel", async () => {
    await using proxy = await startProxy();
    await expect(get("https://models.example.com/v1", { HTTPS_PROXY: proxy.url })).rejects.toThrow(
      "Proxy response (403)",
    );
    expect(proxy.asked).toEqual(["models.example.com:443"]);
  });

  test("may be written without http://, and is named when it is no address", async () => {
    await using proxy = await startProxy();
    const bare = { HTTPS_PROXY: proxy.url.replace("http://", "") };
    expect(await get("http://models.example.com/v1", bare)).toBe("through the proxy");
    await expect(get("https://models.example.com/v1", { HTTPS_PROXY: "http://" })).rejects.toMatchObject({
      code: "config_invalid",
      message: "HTTPS_PROXY is no address of a proxy. Write http://host:port.",
    });
  });

  test("is not used on the way to this machine, nor to hosts that no_proxy names", async () => {
    await using server = await startModelServer({ answer: () => ({ status: 200, body: "direct" }) });
    await using proxy = await startProxy();
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.2" };
    expect(await get(`${server.baseUrl}/chat/completions`, env)).toBe("direct");
    await expect(get(server.baseUrl.replace("127.0.0.1", "127.0.0.2"), env)).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
    expect(proxy.asked).toEqual([]);
  });
});
