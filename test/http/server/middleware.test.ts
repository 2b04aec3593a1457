import { describe, expect, test } from "vitest";
import { encodeHttpError, toHttpError } from "../../../src/http/server/http-error.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { createRedactor } from "../../../src/shared/text/redact.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { KEY, rawRequest, stageWith } from "../stage.ts";

describe("the doors of the API server", () => {
  test("health is open, everything else wants the key, whatever else is wrong with the request", async () => {
    await using stage = await stageWith(scriptedModel());
    for (const path of ["/health", "/v1/health"]) {
      const answer = await fetch(`${stage.url}${path}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ status: "ok", platform: "agent" });
    }
    const keyless = [
      ["GET", "/v1/models", ""],
      ["GET", "/health/detailed", ""],
      ["POST", "/v1/chat/completions", "{broken"],
    ] as const;
    for (const [method, path, body] of keyless) {
      const answer = await fetch(`${stage.url}${path}`, { method, ...(body === "" ? {} : { body }) });
      expect(answer.status, path).toBe(401);
      expect(await answer.json()).toMatchObject({
        error: { type: "invalid_request_error", code: "invalid_api_key", param: null },
      });
    }
  });

  test.each([
    "Basic abc",
    "Bearer",
    "Bearer ",
    `Bearer ${KEY}x`,
    "Bearer \u00e4\u00f6\u00fc",
    `Token ${KEY}`,
  ])("the header %j is answered 401", async (authorization) => {
    await using stage = await stageWith(scriptedModel());
    const answer = await fetch(`${stage.url}/v1/models`, { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(JSON.stringify(stage.log)).not.toContain(KEY);
  });

  test("the scheme's case and spaces around the key do not matter", async () => {
    await using stage = await stageWith(scriptedModel());
    for (const authorization of [`bearer ${KEY}`, `BEARER  ${KEY} `]) {
      expect((await fetch(`${stage.url}/v1/models`, { headers: { authorization } })).status).toBe(200);
    }
  });

  test("a page whose name was made to point here does not get in, by Host or by Origin", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { hostNames: ["box.lan"] } });
    const withHost = (host: string): Promise<string> =>
      rawRequest(stage.port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      `evil.example:${stage.port}`,
      "localhost.evil.example",
    ])
      expect(await withHost(host), host).toMatch(/^HTTP\/1.1 403 .*host_not_allowed/s);
    for (const host of [`127.0.0.1:${stage.port}`, "localhost", "LOCALHOST:80", "[::1]:8642", "box.lan:8642"])
      expect(await withHost(host), host).toMatch(/^HTTP\/1.1 200 /);
    const page = await fetch(`${stage.url}/health`, { headers: { origin: "http://127.0.0.1" } });
    expect([page.status, await page.text()]).toEqual([403, ""]);
  });

  test("an allowed origin gets its headers on every answer, and its preflight without a key", async () => {
    const settings = { corsOrigins: ["https://app.test"] };
    await using stage = await stageWith(scriptedModel(), { settings });
    const origin = "https://app.test";
    const preflight = await fetch(`${stage.url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: { origin },
    });
    expect([preflight.status, await preflight.text()]).toEqual([200, ""]);
    expect(preflight.headers.get("access-control-max-age")).toBe("600");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Idempotency-Key");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    const stream = await stage.post(
      "/v1/chat/completions",
      { stream: true, messages: [{ role: "user", content: "hi" }] },
      { origin },
    );
    await stream.text();
    expect(stream.headers.get("access-control-allow-origin")).toBe(origin);
    expect(stream.headers.get("vary")).toBe("Origin");
    const other = await fetch(`${stage.url}/v1/models`, {
      method: "OPTIONS",
      headers: { origin: "https://other.test" },
    });
    expect(other.status).toBe(403);
  });

  test("a page may send whatever headers its client has, once its origin may call", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { corsOrigins: ["https://app.test"] } });
    const asked = (names: string): Promise<Response> =>
      fetch(`${stage.url}/v1/chat/completions`, {
        method: "OPTIONS",
        headers: { origin: "https://app.test", "access-control-request-headers": names },
      });
    const allowed = async (names: string): Promise<string | null> =>
      (await asked(names)).headers.get("access-control-allow-headers");
    expect(await allowed("authorization,x-stainless-os, openai-project")).toMatch(
      /^Authorization, .*, X-Agent-Tools, authorization,x-stainless-os, openai-project$/,
    );
    expect(await allowed("x y")).toMatch(/X-Agent-Tools$/);
    // A reader need not wait for a body that does not come.
    expect((await asked("x-a")).headers.get("content-length")).toBe("0");
  });

  test("* lets every origin in", async () => {
    await using stage = await stageWith(scriptedModel(), { settings: { corsOrigins: ["*"] } });
    const answer = await fetch(`${stage.url}/health`, { headers: { origin: "https://any.test" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("vary")).toBeNull();
  });

  test("security headers and a request id are on every answer, errors and streams too", async () => {
    await using stage = await stageWith(scriptedModel());
    const answers = [
      await fetch(`${stage.url}/health`),
      await fetch(`${stage.url}/v1/models`),
      await stage.ask("/nowhere"),
      await stage.post("/v1/chat/completions", { stream: true, messages: [{ role: "user", content: "hi" }] }),
    ];
    for (const answer of answers) {
      await answer.text();
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    }
  });

  test("an unknown path is 404, a wrong method 405 with what is allowed", async () => {
    await using stage = await stageWith(scriptedModel());
    for (const path of ["/v1/nothing", "/v1/models//"]) expect((await stage.ask(path)).status).toBe(404);
    const wrong = await stage.ask("/v1/chat/completions", { method: "DELETE" });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("POST");
    expect((await stage.ask("/v1/models", { method: "PUT" })).headers.get("allow")).toBe("GET, HEAD");
  });
});

test("a store that cannot be had is told in the words of the wire", async () => {
  const gone = new HostError("store_unavailable", "The store is not there.");
  const answer = toHttpError(gone, createRedactor([]));
  expect([answer.status, encodeHttpError(answer)]).toEqual([
    503,
    {
      error: {
        message: "The store is not there.",
        type: "invalid_request_error",
        code: "session_db_unavailable",
        param: null,
      },
    },
  ]);
});
