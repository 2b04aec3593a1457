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
