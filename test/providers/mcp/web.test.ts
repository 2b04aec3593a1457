import { describe, expect, test } from "vitest";
import { guardedWeb } from "../../../src/providers/fetch/index.ts";
import type { McpServer } from "../../../src/providers/mcp/index.ts";
import { untilTrue } from "../../kit/test-host.ts";
import { hastyClock } from "../tools/spawn/spawning.ts";
import { inside, mcpStage } from "./mcp-stage.ts";
import { webServer } from "./web-server.ts";

const at = (url: string, type: "http" | "sse" = "http", headers: Record<string, string> = {}): McpServer => ({
  type,
  name: "web",
  url,
  headers,
});

describe.each([
  ["http", "/mcp"],
  ["sse", "/sse"],
] as const)("a server over %s", (type, path) => {
  test("gets its headers, answers calls, shows progress and asks back", async () => {
    await using server = await webServer();
    await using stage = await mcpStage([
      at(`${server.origin}${path}`, type, { authorization: "Bearer t0ken" }),
    ]);
    await stage.settled();
    expect(stage.failures).toEqual([]);
    const session = stage.session({ answer: () => ({ outcome: "answered", text: "decline" }) });
    expect((await session.run(stage.tool("mcp_web_echo"), { text: "hello" })).text).toBe("hello");
    expect((await session.run(stage.tool("mcp_web_ask"), {})).text).toBe('{"action":"decline"}');
    const stopping = stage.session({ onPreview: (preview) => preview === "step 3" && stopping.abort() });
    expect((await stopping.run(stage.tool("mcp_web_slow"), {})).result.outcome).toBe("cancelled");
    expect(server.requests.every(({ headers }) => headers.authorization === "Bearer t0ken")).toBe(true);
  });

  test("that breaks off in a call fails it at once, and serves the next", async () => {
    await using server = await webServer();
    await using stage = await mcpStage([at(`${server.origin}${path}`, type)], { clock: hastyClock });
    await stage.settled();
    const { result, text } = await stage.session().run(stage.tool("mcp_web_die"), {});
    expect(result.outcome).toBe("error");
    expect(text).toMatch(/^MCP server web: .*the connection (broke off|has ended)/);
    expect((await stage.session().run(stage.tool("mcp_web_echo"), { text: "back" })).text).toBe("back");
  });

  test("that sends too much in one message is cut off, and hurts no other", async () => {
    await using server = await webServer();
    await using stage = await mcpStage([at(`${server.origin}${path}`, type), inside("good")], {
      clock: hastyClock,
    });
    await stage.settled();
    const { text } = await stage.session().run(stage.tool("mcp_web_huge"), {});
    expect(text).toBe("MCP server web: it sent a message of more than 10 MB");
    expect((await stage.session().run(stage.tool("mcp_good_echo"), { text: "fine" })).text).toBe("fine");
  });

  test("that wants a login is told of with the remedy", async () => {
    await using server = await webServer();
    server.instead = (_request, response) => void response.writeHead(401).end();
    await using stage = await mcpStage([at(`${server.origin}${path}`, type)], { clock: hastyClock });
    await stage.until(() => stage.failures.length > 0);
    expect(stage.failures[0]).toContain("web: it wants a login (HTTP 401)");
    expect(stage.failures[0]).toContain("Authorization");
    server.instead = undefined;
    await stage.until(() => stage.clients.servers()[0]?.status === "connected");
  });
});

test("a server that was started again, and knows no session any more, is greeted anew within the call", async () => {
  await using server = await webServer();
  await using stage = await mcpStage([at(`${server.origin}/mcp`)], { clock: hastyClock });
  await stage.settled();
  server.forget();
  expect((await stage.session().run(stage.tool("mcp_web_echo"), { text: "again" })).text).toBe("again");
});

test("a server hears that its session is over", async () => {
  await using server = await webServer();
  await using stage = await mcpStage([at(`${server.origin}/mcp`)]);
  await stage.settled();
  stage.clients.apply([]);
  await untilTrue(() => server.requests.some(({ method }) => method === "DELETE"));
  expect(stage.clients.servers()).toEqual([]);
});

describe("a server's address", () => {
  test.each([
    "http://127.0.0.1:1/mcp",
    "http://[::ffff:7f00:1]:1/mcp",
    "http://2130706433:1/mcp",
    "http://0177.1:1/mcp",
  ])("that leads to a private host is refused unless it may: %s", async (url) => {
    await using stage = await mcpStage([at(url)], { host: { web: () => guardedWeb({}) } });
    await stage.until(() => stage.failures.length > 0);
    expect(stage.failures[0]).toContain("it leads to a private address");
  });

  test("is checked again for each request, however the name's answer changes", async () => {
    await using server = await webServer();
    const { port } = new URL(server.origin);
    let asked = 0;
    const resolve = () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? "203.0.113.7" : "10.0.0.1", family: 4 }]);
    };
    await using stage = await mcpStage([at(`http://good.test:${port}/mcp`)], {
      host: { web: () => guardedWeb({ resolve, allow: ["203.0.113.7"] }) },
      clock: hastyClock,
    });
    await stage.until(() => asked > 0 && stage.failures.length > 0);
    expect(server.requests).toEqual([]);
  });

  test("that sends us elsewhere is not followed there", async () => {
    await using other = await webServer();
    await using server = await webServer();
    server.instead = (_request, response) =>
      void response.writeHead(307, { location: `${other.origin}/mcp` }).end();
    await using stage = await mcpStage([
      at(`${server.origin}/mcp`, "http", { authorization: "Bearer t0ken" }),
    ]);
    await stage.until(() => stage.failures.length > 0);
    expect(stage.failures[0]).toContain("Redirect");
    expect(other.requests).toEqual([]);
  });
});
