import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { detectEndpoint } from "../../../../src/providers/models/index.ts";
import { handClock } from "../../../kit/clock.ts";
import { refusingUrl } from "../../../kit/model-server/index.ts";

interface Given {
  readonly status?: number;
  readonly body?: unknown;
}

/** A server that answers requests, written as `GET /path?query`, as the test says; all others with 404. */
async function startServer(answers: Readonly<Record<string, Given | "never">>) {
  const requests: { line: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((incoming, response) => {
    const line = `${incoming.method} ${incoming.url}`;
    void text(incoming).then((body) => {
      requests.push({ line, headers: incoming.headers, body });
      const answer = answers[line] ?? { status: 404, body: { error: "nothing here" } };
      if (answer === "never") return;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body ?? {}));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    lines: () => requests.map(({ line }) => line),
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

const detect = (address: string, change: Partial<Parameters<typeof detectEndpoint>[0]> = {}) =>
  detectEndpoint({
    address,
    credential: { kind: "key", value: "k" },
    env: {},
    clock: systemClock,
    signal: new AbortController().signal,
    ...change,
  });

const LIST = { object: "list", data: [{ id: "a", context_length: 70_000 }, { id: "b" }] };

describe("an address is looked at in this order", () => {
  test("1: its path, without a request", async () => {
    await using server = await startServer({});
    for (const path of ["/anthropic", "/anthropic-style/v1", "/x/anthropic/v1/messages"])
      expect(await detect(`${server.url}${path}`)).toMatchObject({ apiMode: "messages_api", by: "path" });
    expect(server.requests).toEqual([]);
  });

  test("2: its list of models, an empty one too", async () => {
    await using server = await startServer({ "GET /v1/models": { body: LIST } });
    expect(await detect(server.url)).toEqual({
      apiMode: "chat_completions",
      baseUrl: `${server.url}/v1`,
      models: [{ id: "a", contextLength: 70_000 }, { id: "b" }],
      by: "models",
    });
    await using empty = await startServer({ "GET /openai/v1/models": { body: { data: [] } } });
    expect(await detect(`${empty.url}/openai/v1/`)).toMatchObject({ by: "models", models: [] });
  });

  test("2: the list with an api-version, which is kept in the address", async () => {
    await using server = await startServer({
      "GET /openai/models?api-version=2024-10-21": { body: LIST },
    });
    expect(await detect(`${server.url}/openai`)).toMatchObject({
      apiMode: "chat_completions",
      baseUrl: `${server.url}/openai?api-version=2024-10-21`,
    });
    expect(server.lines().slice(0, 3)).toEqual([
      "GET /openai/models",
      "GET /openai/models?api-version=2025-04-01-preview",
      "GET /openai/models?api-version=2024-10-21",
    ]);
  });

  test.each<[string, Given, boolean]>([
    ["a message", { body: { type: "message", content: [] } }, true],
    [
      "an error of its shape",
      { status: 401, body: { type: "error", error: { type: "x", message: "y" } } },
      true,
    ],
    ["a refusal that speaks of the model", { status: 400, body: { error: "model: probe is unknown" } }, true],
    ["something else that is not found", { status: 404, body: { error: "no such path" } }, false],
    ["a failure", { status: 500, body: { error: "model" } }, false],
  ])("3: an answer to messages that is %s", async (_title, answer, speaks) => {
    await using server = await startServer({ "POST /v1/messages?api-version=2025-04-15": answer });
    const found = await detect(`${server.url}/v1`);
    expect(found?.by).toBe(speaks ? "answer" : undefined);
    const probe = server.requests.at(-1);
    expect(JSON.parse(probe?.body ?? "")).toMatchObject({ model: "probe", max_tokens: 1 });
  });

  test("4: nothing that answers leaves it to its owner", async () => {
    expect(await detect(await refusingUrl())).toBeUndefined();
  });
});

test("a key is shown in every way in which an endpoint may want it, a token as a bearer's only", async () => {
  await using server = await startServer({});
  await detect(server.url);
  expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer k", "api-key": "k" });
  expect(server.requests.at(-1)?.headers).toMatchObject({ "x-api-key": "k" });
  await detect(server.url, { credential: { kind: "token", value: "t" } });
  expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer t" });
  for (const name of ["api-key", "x-api-key"])
    expect(server.requests.at(-1)?.headers).not.toHaveProperty(name);
});

test("a request that hangs is given up after 6 s", async () => {
  const clock = handClock();
  await using server = await startServer({ "GET /v1/models": "never" });
  const looking = detect(server.url, { clock });
  await clock.untilPending();
  while (server.requests.length === 0) await new Promise((resolve) => void setImmediate(resolve));
  clock.advance(6000);
  expect(await looking).toBeUndefined();
  expect(server.lines()).toContain("POST /v1/messages?api-version=2025-04-15");
});

describe("the context of a local model", () => {
  const served = async (answers: Parameters<typeof startServer>[0]) => {
    await using server = await startServer({
      "GET /v1/models": { body: { data: [{ id: "m" }] } },
      ...answers,
    });
    return (await detect(server.url))?.models[0]?.contextLength;
  };

  test("is what the server was started with", async () => {
    const props = { default_generation_settings: { n_ctx: 8192 } };
    expect(await served({ "GET /props": { body: props } })).toBe(8192);
  });

  test("is what the model file sets, or what the model was made for", async () => {
    const info = { "llama.context_length": 131_072 };
    expect(await served({ "POST /api/show": { body: { model_info: info } } })).toBe(131_072);
    const set = { parameters: "stop x\nnum_ctx   4096", model_info: info };
    expect(await served({ "POST /api/show": { body: set } })).toBe(4096);
  });

  test("is not known when nobody says it", async () => {
    expect(await served({})).toBeUndefined();
  });
});
