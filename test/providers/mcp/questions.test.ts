import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ToolAnswer } from "../../../src/core/index.ts";
import type { SampleRequest } from "../../../src/providers/mcp/index.ts";
import { inside, mcpStage } from "./mcp-stage.ts";

const answers = (...texts: readonly string[]) => {
  const left = [...texts];
  return (): ToolAnswer => ({ outcome: "answered", text: left.shift() ?? "decline" });
};

describe("a server that asks during a call", () => {
  test("gets its form filled by the session's person, one field after the other", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const session = at.session({ answer: answers("Ada", "old", "37", "Green", "skip") });
    const { text } = await session.run(at.tool("mcp_one_ask"), {});
    expect(JSON.parse(text)).toEqual({ action: "accept", content: { name: "Ada", age: 37, color: "green" } });
    const questions = session.asked.map((asked) => (asked.kind === "clarify" ? asked : undefined));
    expect(questions[0]?.question).toContain("MCP server one asks: Who are you?\n\nYour name");
    expect(questions[2]?.question).toContain("It must be a whole number.");
    expect(questions[3]?.choices).toEqual(["red", "green", "decline"]);
  });

  test("is told when the person declines, or nobody is there", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const ask = at.tool("mcp_one_ask");
    expect((await at.session({ answer: answers("decline") }).run(ask, {})).text).toBe('{"action":"decline"}');
    expect((await at.session().run(ask, {})).text).toBe('{"action":"cancel"}');
  });

  test("reaches nobody when the calls of two sessions run: the question could be either's", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const other = at.session({ sessionId: "other", answer: answers("Eve") });
    const running = other.run(at.tool("mcp_one_hang"), {});
    const asking = at.session({ answer: answers("Ada", "37", "red", "skip") });
    expect((await asking.run(at.tool("mcp_one_ask"), {})).text).toBe('{"action":"cancel"}');
    expect([other.asked, asking.asked]).toEqual([[], []]);
    other.abort();
    await running;
  });

  test("learns the roots of the session whose call it works on", async () => {
    await using at = await mcpStage([inside("one")]);
    await at.settled();
    const session = at.session({ roots: ["/work/of a person"] });
    const { text } = await session.run(at.tool("mcp_one_roots"), {});
    expect(JSON.parse(text)).toEqual({ roots: [{ uri: pathToFileURL("/work/of a person").href }] });
  });

  test("is refused the model, unless its owner lets it ask", async () => {
    const asked: SampleRequest[] = [];
    const sample = (request: SampleRequest) => {
      asked.push(request);
      return Promise.resolve({ model: "m", text: "42", isCut: false });
    };
    await using at = await mcpStage([inside("shut"), inside("open", {}, { sampling: true })], {
      host: { sample },
    });
    await at.settled();
    const refused = await at.session().run(at.tool("mcp_shut_sample"), {});
    expect(JSON.parse(refused.text)).toMatchObject({ code: -32601 });
    expect(at.notes).toContain('shut capabilities {"roots":{},"elicitation":{"form":{}}}');
    const { text } = await at.session().run(at.tool("mcp_open_sample"), {});
    expect(JSON.parse(text)).toMatchObject({ role: "assistant", model: "m", content: { text: "42" } });
    expect(asked).toMatchObject([
      {
        server: "open",
        session: "s1",
        maxTokens: 100,
        messages: [{ role: "user", text: "What is the answer?" }],
      },
    ]);
  });
});
