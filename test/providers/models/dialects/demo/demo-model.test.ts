import { describe, expect, test } from "vitest";
import { textPart } from "../../../../../src/core/events/content.ts";
import type { ModelMessage } from "../../../../../src/core/ports/model-message.ts";
import { demoModel } from "../../../../../src/providers/models/index.ts";
import { handClock } from "../../../../kit/clock.ts";
import { ask, callsIn, joined, modelRequest, outcomeOf } from "../../../../kit/model-parts.ts";

const ids = { next: 0 };
const model = demoModel({ clock: handClock(), newId: () => `call_${(ids.next += 1)}` });

const tool = (name: string) => ({ name, description: "", parameters: { type: "object" } });
const TOOLS = ["terminal", "read_file"].map(tool);

test("it says what it is, in small pieces, with usage and an end", async () => {
  const { parts } = await ask(model, { prompt: "hi" });
  expect(joined(parts)).toMatch(/^I am the built-in demo model.*no key.*no language model/);
  expect(parts.filter(({ type }) => type === "text").length).toBeGreaterThan(20);
  expect(parts.at(-2)).toMatchObject({
    type: "usage",
    usage: { input: expect.any(Number) as number, cacheRead: 0 },
  });
  expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop" });
});

test("it says the same to the same, each time", async () => {
  expect(await ask(model, { prompt: "tell me a story" })).toEqual(
    await ask(model, { prompt: "tell me a story" }),
  );
});

test("it calls the tools that it is told to, with ids of their own", async () => {
  const { parts } = await ask(model, { prompt: "read README.md and run `ls`", tools: TOOLS });
  const calls = callsIn(parts);
  expect(calls.map(({ name, input }) => [name, input])).toEqual([
    ["read_file", { path: "README.md" }],
    ["terminal", { command: "ls" }],
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(parts.at(-1)).toEqual({ type: "finish", reason: "tool_calls" });
});

test("it does not call a tool that the session does not have", async () => {
  const { parts } = await ask(model, { prompt: "run ls", tools: [] });
  expect(callsIn(parts)).toEqual([]);
  expect(joined(parts)).toContain("`terminal`");
});

describe("it speaks about results", () => {
  const after = async (name: string, text: string, isError = false) => {
    const messages: readonly ModelMessage[] = [
      { role: "user", parts: [textPart("run ls")] },
      { role: "assistant", text: "", reasoning: "", calls: [{ id: "c", name, input: {} }] },
      {
        role: "tool",
        results: [{ callId: "c", name, content: text === "" ? [] : [textPart(text)], isError }],
      },
    ];
    return joined((await ask(model, { messages })).parts);
  };

  test.each([
    ["terminal", "a.txt", false, "`terminal` gave:\n```\na.txt\n```"],
    ["terminal", "", false, "`terminal` is done; it had nothing to say."],
    ["terminal", "no such command", true, "`terminal` did not work: no such command"],
    ["clarify", "blue", false, "You answered: blue"],
  ])("of %s: %j", async (name, ...[text, isError, said]) => {
    expect(await after(name, text, isError)).toBe(said);
  });

  test("and shows no more than the beginning of a long one", async () => {
    expect((await after("terminal", "x".repeat(5000))).length).toBeLessThan(1100);
  });
});

test("it thinks aloud when told to", async () => {
  const { parts } = await ask(model, { prompt: "think about trees" });
  expect(joined(parts, "reasoning")).toContain("about trees");
  expect(joined(parts)).not.toBe("");
});

test.each([
  ["fail", "provider_bad_request"],
  ["fail auth", "provider_auth"],
  ["fail quota", "provider_quota"],
  ["fail rate_limit", "provider_rate_limit"],
  ["fail overloaded", "provider_overloaded"],
  ["fail network", "provider_network"],
])("told to %s, it fails with %s", async (prompt, code) => {
  expect(await ask(model, { prompt })).toMatchObject({ parts: [], error: { code } });
});

test("it stops in the middle when it is told to", async () => {
  const life = new AbortController();
  const parts = [];
  for await (const part of model.stream(modelRequest({ prompt: "count to 1000", signal: life.signal }))) {
    parts.push(part);
    if (parts.length === 3) life.abort();
  }
  expect(joined(parts)).toBe("1 2 3");
});

test("with a delay it speaks as fast as the clock goes", async () => {
  const clock = handClock();
  const slow = demoModel({ clock, newId: () => "c", delayMs: 20 });
  const outcome = outcomeOf(slow.stream(modelRequest({ prompt: "count to 3" })));
  for (let n = 0; n < 4; n += 1) {
    await clock.untilPending();
    clock.advance(20);
    await Promise.resolve();
  }
  expect(joined((await outcome).parts)).toBe("1 2 3");
  expect(clock.monotonic()).toBe(80);
});
