import { describe, expect, test } from "vitest";
import { handClock } from "../../kit/clock.ts";
import { untilTrue } from "../../kit/test-host.ts";
import { hastyClock } from "../tools/spawn/spawning.ts";
import { inside, mcpStage, program } from "./mcp-stage.ts";

const good = inside("good");

describe("a bad server", () => {
  test("that hangs, dies or floods at its start is told of, and hurts no other", async () => {
    const clock = handClock();
    await using at = await mcpStage(
      [
        good,
        inside("hangs", { start: "hang" }, { connectMs: 5000 }),
        program("dies", { start: "die" }),
        program("floods", { start: "flood" }),
        inside("noisy", { start: "noise" }),
        { type: "stdio", name: "gone", command: "/no/such/program", args: [], env: {} },
      ],
      { clock },
    );
    await at.until(() => at.failures.length === 3);
    expect(at.failures.toSorted()).toEqual([
      "dies: it ended with exit code 3. no database",
      "floods: it sent a message of more than 10 MB",
      expect.stringContaining("gone: "),
    ]);
    expect(at.clients.toolsets().find(({ name }) => name === "mcp:dies")).toMatchObject({
      configured: false,
      remedy: "it ended with exit code 3. no database",
      tools: [],
    });
    await at.until(() => at.clients.servers().filter(({ status }) => status === "connected").length === 2);
    expect((await at.session().run(at.tool("mcp_good_echo"), { text: "fine" })).text).toBe("fine");
    clock.advance(5000);
    await at.until(() => at.failures.length === 4);
    expect(at.failures.at(-1)).toBe("hangs: it did not answer within 5 s");
  });

  test("that dies in a call fails that call, is started again, and serves the next", async () => {
    await using at = await mcpStage([program("one"), good], { clock: hastyClock });
    await at.settled();
    const session = at.session();
    const dead = await session.run(at.tool("mcp_one_die"), {});
    expect([dead.result.outcome, dead.text]).toEqual([
      "error",
      "MCP server one: it ended with exit code 7. my disk is full",
    ]);
    // What it offers is kept meanwhile, and a call waits for it.
    expect((await session.run(at.tool("mcp_one_echo"), { text: "back" })).text).toBe("back");
    expect(at.failures).toEqual(["one: it ended with exit code 7. my disk is full"]);
  });

  test.each([
    ["flood", "it sent more than 32 MB that nobody had asked for"],
    ["noise", "it sent more than 32 MB that nobody had asked for"],
    ["huge", "it sent a message of more than 10 MB"],
  ])("that answers with a %s is cut off", async (name, why) => {
    await using at = await mcpStage([inside("one"), good], { clock: handClock() });
    await at.settled();
    const [bad, fine] = await Promise.all([
      at.session().run(at.tool(`mcp_one_${name}`), {}),
      at.session().run(at.tool("mcp_good_echo"), { text: "fine" }),
    ]);
    expect([bad.result.outcome, bad.text]).toEqual(["error", `MCP server one: ${why}`]);
    expect(fine.text).toBe("fine");
  });

  test("whose result is of no known form fails the call, and keeps its connection", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    for (const name of ["wrong", "odd"]) {
      const { result, text } = await at.session().run(at.tool(`mcp_one_${name}`), {});
      expect(result.outcome).toBe("error");
      expect(text).toMatch(/^MCP server one: .{10,400}$/);
    }
    expect((await at.session().run(at.tool("mcp_one_echo"), { text: "fine" })).text).toBe("fine");
  });

  test("that lists nonsense is believed only what can be used", async () => {
    const tools = [
      {
        name: "fine",
        description: "Fine",
        inputSchema: { type: "object", properties: { a: { type: "string" } } },
      },
      { name: "fine", description: "The same again", inputSchema: { type: "object" } },
      { name: "no schema" },
      { name: "bad_type", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
      { name: "not_object", inputSchema: { type: "string" } },
      { name: "bomb", inputSchema: { type: "object", description: "x".repeat(70_000) } },
      {
        name: "\u001B[31mred\nline",
        description: "a\u202Eb\u0007c\u{E0041}d",
        inputSchema: { type: "object" },
      },
      { name: "n".repeat(200), description: "long ".repeat(2000), inputSchema: { type: "object" } },
      { description: "nameless" },
      "no tool at all",
    ];
    await using at = await mcpStage([inside("one", { tools })]);
    await at.settled();
    const [server] = at.clients.servers();
    const names = server?.tools ?? [];
    expect(names).toHaveLength(9);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
    expect(at.tool("mcp_one_fine")).toMatchObject({
      description: "Fine",
      parameters: { properties: { a: {} } },
    });
    for (const name of ["mcp_one_bad_type", "mcp_one_not_object", "mcp_one_bomb"])
      expect(at.tool(name).parameters).toEqual({ type: "object" });
    const red = at.clients.toolsets()[0]?.tools.find(({ name }) => name.startsWith("mcp_one__"));
    expect(red?.description).toBe("abcd");
    const long = at.clients.toolsets()[0]?.tools.find(({ name }) => name.startsWith("mcp_one_nnn"));
    expect(long?.description.length).toBeLessThanOrEqual(4000);
    expect(server?.notes.join("\n")).toContain("a tool was left out");
    expect(server?.notes.join("\n")).toContain('bad_type is not used: there is no type "strnig"');
  });

  test("leaves no process behind", async () => {
    const at = await mcpStage([program("one"), program("hangs", { start: "hang" })]);
    await untilTrue(() => at.clients.servers()[0]?.status === "connected");
    const running = at.session().run(at.tool("mcp_one_hang"), {});
    expect((await at.alive()).length).toBeGreaterThan(0);
    await at.clients[Symbol.asyncDispose]();
    expect((await running).result.outcome).toBe("error");
    while ((await at.alive()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    await at[Symbol.asyncDispose]();
  });
});

test("tools that a server adds in mid-session are there", async () => {
  await using at = await mcpStage([inside("one")]);
  await at.settled();
  const before = at.clients.toolsets();
  expect(at.clients.toolsets()).toBe(before);
  await at.session().run(at.tool("mcp_one_grow"), {});
  await at.until(() => at.clients.servers()[0]?.tools.includes("mcp_one_grown") === true);
  expect(at.clients.toolsets()).not.toBe(before);
});

test("names of two servers' tools that come to the same are told apart", async () => {
  const tool = (name: string) => ({ tools: [{ name, description: name, inputSchema: { type: "object" } }] });
  await using at = await mcpStage([inside("a_b", tool("c")), inside("a", tool("b_c"))]);
  await at.settled();
  const names = at.clients.toolsets().flatMap(({ tools }) => tools.map(({ name }) => name));
  const calls = names.filter((name) => name.startsWith("mcp_a_b_c"));
  expect(calls).toEqual(["mcp_a_b_c", expect.stringMatching(/^mcp_a_b_c_\w+$/)]);
});
