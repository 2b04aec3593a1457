import { describe, expect, test } from "vitest";
import { handClock } from "../../kit/clock.ts";
import { untilTrue } from "../../kit/test-host.ts";
import { inside, mcpStage, program } from "./mcp-stage.ts";

describe("a server's tools", () => {
  test("answer with the environment that was given to the server, and nothing of the host's", async () => {
    process.env["SECRET_OF_THE_HOST"] = "hidden";
    await using at = await mcpStage([program("one")]);
    await at.settled();
    const { result, text } = await at.session().run(at.tool("mcp_one_env"), {});
    expect(result.outcome).toBe("ok");
    expect(JSON.parse(text)).toEqual({ who: "the test", cwd: at.folder });
  });

  test("answer a hundred calls at once, each its own", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const echo = at.tool("mcp_one_echo");
    const calls = Array.from({ length: 100 }, (_, index) => at.session().run(echo, { text: `n${index}` }));
    const texts = (await Promise.all(calls)).map(({ text }) => text);
    expect(texts).toEqual(Array.from({ length: 100 }, (_, index) => `n${index}`));
  });

  test("show their progress, and hear of it when the turn is stopped", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const session = at.session({ onPreview: (preview) => preview === "step 3" && session.abort() });
    const { result, text, previews } = await session.run(at.tool("mcp_one_slow"), {});
    expect([result.outcome, text]).toEqual(["cancelled", "This operation was aborted"]);
    expect(previews.at(-1)).toBe("step 3");
    await untilTrue(() => at.notes.includes("one cancelled"));
  });

  test("that are silent for too long are cancelled, on the host's clock", async () => {
    const clock = handClock();
    await using at = await mcpStage([inside("one", {}, { callMs: 5000 })], { clock });
    await at.settled();
    const running = at.session().run(at.tool("mcp_one_hang"), {});
    await clock.untilPending();
    clock.advance(5000);
    const { text, result } = await running;
    expect([result.outcome, text]).toEqual([
      "error",
      "MCP server one: it did not answer within 5 s; the call was cancelled",
    ]);
    await untilTrue(() => at.notes.includes("one cancelled"));
    expect((await at.session().run(at.tool("mcp_one_echo"), { text: "still there" })).text).toBe(
      "still there",
    );
  });

  test("give images as images, and errors as errors", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const session = at.session();
    const picture = await session.run(at.tool("mcp_one_picture"), {});
    expect(picture.result.content).toMatchObject([{ type: "image", mediaType: "image/png" }]);
    expect([...session.blobs.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual(["hello"]);
    expect((await session.run(at.tool("mcp_one_fail"), {})).result.outcome).toBe("error");
  });

  test("are those that the owner wants, and ask before each call", async () => {
    await using at = await mcpStage([
      inside("one", {}, { include: ["echo", "fail"], exclude: ["fail"], resources: false, prompts: false }),
    ]);
    await at.settled();
    expect(at.clients.servers()).toMatchObject([{ tools: ["mcp_one_echo"], prompts: [], resources: false }]);
    const addresses = { text: "x", to: [{ a: "https://a.test/1 http://b.test/" }] };
    expect(await at.session().permit(at.tool("mcp_one_echo"), addresses)).toMatchObject({
      reaches: ["https://a.test/1", "http://b.test/"],
    });
    const others = {
      host: "evil.test:80/x",
      base_url: "c.test",
      socket: "wss://d.test",
      text: "e.test file:///f",
    };
    expect(await at.session().permit(at.tool("mcp_one_echo"), others)).toMatchObject({
      reaches: ["https://evil.test:80/x", "https://c.test", "wss://d.test"],
    });
    const long = "l".repeat(50_000);
    expect(await at.session().permit(at.tool("mcp_one_echo"), { text: long })).toMatchObject({
      command: expect.stringContaining(long),
    });
    expect(await at.session().permit(at.tool("mcp_one_echo"), { text: "x" })).toMatchObject({
      verdict: "ask",
      harmless: false,
      command: 'one: echo {"text":"x"}',
      patterns: ["mcp:one:echo"],
    });
  });
});

describe("a server's resources and prompts", () => {
  test("are listed and read by tools of the host", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const session = at.session();
    expect((await session.run(at.tool("mcp_one_list_resources"), {})).text).toBe(
      "note://one One · text/plain",
    );
    expect((await session.run(at.tool("mcp_one_read_resource"), { uri: "note://one" })).text).toBe(
      "what note://one says",
    );
    expect(await session.permit(at.tool("mcp_one_read_resource"), { uri: "note://one" })).toMatchObject({
      verdict: "ask",
    });
  });

  test("are commands that send what the server makes of their arguments", async () => {
    await using at = await mcpStage([inside("My Server")]);
    await at.settled();
    const [command] = at.clients.commands();
    expect(command).toMatchObject({ name: "my-server:review", args: "<file=…> [tone=…]" });
    const context = { signal: new AbortController().signal } as Parameters<
      NonNullable<typeof command>["run"]
    >[0];
    expect(await command?.run(context, 'file=a.ts tone="very kind"')).toEqual({
      type: "send",
      message: 'Review {"file":"a.ts","tone":"very kind"}',
    });
    await expect(command?.run(context, "tone=kind")).rejects.toMatchObject({ code: "command_usage" });
  });
});
