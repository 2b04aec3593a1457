import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conversation, historyEdits } from "../../../src/core/conversation/conversation.ts";
import {
  type DurableEvent,
  deriveConversation,
  foldAll,
  NO_USAGE,
  type Prompt,
  textPart,
  type TurnOutcome,
} from "../../../src/core/index.ts";
import { anyRows, rowsOf } from "../../kit/arbitrary-rows.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { times } from "../../kit/counts.ts";

const prompt = (text: string): Prompt => ({
  id: `p-${text}`,
  parts: [textPart(text)],
  from: { surface: "test" },
  questions: { mode: "ask" },
});
const turn = (id: string, text: string): DurableEvent => ({
  type: "turn.start",
  turnId: id,
  prompt: prompt(text),
});
const reply = (id: string, text: string, calls: readonly string[] = []): DurableEvent => ({
  type: "reply.complete",
  turnId: id,
  segments: text === "" ? [] : [{ kind: "text", cursor: 0, text }],
  calls: calls.map((callId) => ({ id: callId, name: "ls", input: {} })),
  finish: "stop",
  usage: NO_USAGE,
  provider: "p",
  model: "m",
});
const result = (id: string, callId: string, text: string): DurableEvent => ({
  type: "tool.complete",
  turnId: id,
  callId,
  name: "ls",
  label: "ls",
  outcome: "ok",
  content: [textPart(text)],
  durationMs: 1,
});
const ended = (turnId: string, outcome: TurnOutcome): DurableEvent => ({
  type: "turn.end",
  turnId,
  outcome,
  usage: NO_USAGE,
});
const started = (id: string, callId: string): DurableEvent => ({
  type: "tool.start",
  turnId: id,
  callId,
  name: "ls",
  kind: "execute",
  label: "ls",
  input: {},
});

const spoken = (events: readonly DurableEvent[]): readonly string[] =>
  deriveConversation(rowsOf(events)).map((message) => {
    switch (message.role) {
      case "user":
        return `user: ${message.parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" | ")}`;
      case "assistant":
        return `assistant: ${message.text}${message.calls.map(({ id }) => ` <${id}>`).join("")}`;
      case "tool":
        return `tool: ${message.results.map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join("")).join(" | ")}`;
    }
  });

test("what requests have in common is the same objects: they are encoded once", () => {
  const conversation = new Conversation();
  const requests: (readonly unknown[])[] = [];
  const rows = rowsOf([
    turn("t", "list"),
    reply("t", "", ["a", "b"]),
    result("t", "a", "one"),
    result("t", "b", "two"),
    reply("t", "again", ["c"]),
    result("t", "c", "three"),
    reply("t", "done"),
    ended("t", "completed"),
    turn("u", "thanks"),
  ]);
  const asks = new Set<DurableEvent["type"]>(["turn.start", "tool.complete"]);
  for (const row of rows) {
    conversation.push(row);
    if (asks.has(row.event.type)) requests.push(conversation.messages());
  }
  // The second of them is asked with one result missing, which no request of a turn is.
  const [first = [], , second = [], third = [], fourth = []] = requests;
  expect(second.slice(0, first.length)).toEqual(first);
  for (const [shorter, longer] of [
    [first, second],
    [second, third],
    [third, fourth],
  ] as const) {
    for (const [place, message] of shorter.entries()) expect(longer[place]).toBe(message);
  }
  expect(fourth).toHaveLength(7);
});

describe("the conversation that a log stands for", () => {
  test("is legal for whatever rows, in whatever order, cut wherever", () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), (rows, cut) => {
        const kept = rows.slice(0, cut % (rows.length + 1));
        expect(conversationFaults(deriveConversation(kept))).toEqual([]);
      }),
      { numRuns: times(20_000) },
    );
  });

  test("is the same built row by row as built at once, until it says that it is stale", () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), (rows, cut) => {
        const known = rows.slice(0, cut % (rows.length + 1));
        const conversation = new Conversation(historyEdits(foldAll(known), known));
        for (const row of known) conversation.push(row);
        // The marks know of them: whoever builds it again because of them would do so for ever.
        expect(conversation.stale).toBe(false);
        expect(conversation.messages()).toEqual(deriveConversation(known));
        for (let length = known.length + 1; length <= rows.length && !conversation.stale; length += 1) {
          const row = rows[length - 1];
          if (row === undefined) break;
          conversation.push(row);
          if (!conversation.stale)
            expect(conversation.messages()).toEqual(deriveConversation(rows.slice(0, length)));
        }
      }),
      { numRuns: times(5_000) },
    );
  });

  test("gives every call a result, also those that were interrupted or never began", () => {
    expect(
      spoken([
        turn("t", "list"),
        reply("t", "", ["a", "b", "c"]),
        started("t", "a"),
        result("t", "a", "file"),
        started("t", "b"),
        turn("u", "and now?"),
      ]),
    ).toEqual([
      "user: list",
      "assistant:  <a> <b> <c>",
      "tool: file | Interrupted: the outcome of this call is unknown. Check before you repeat it. | Not run: the turn was interrupted before this call started.",
      "user: and now?",
    ]);
  });

  test.each([
    ["cancelled", "was interrupted"],
    ["interrupted", "was interrupted"],
    ["failed", "failed"],
  ] as const)("tells of a turn that was %s, whatever it had said until then", (outcome, how) => {
    expect(
      spoken([
        turn("t", "one"),
        ended("t", outcome),
        turn("u", "two"),
        reply("u", "half an"),
        ended("u", outcome),
        turn("v", "three"),
        reply("v", "", ["a"]),
        result("v", "a", "file"),
        ended("v", outcome),
        turn("w", "four"),
        reply("w", "4"),
        ended("w", "completed"),
        turn("x", "five"),
      ]),
    ).toEqual([
      `user: one | [The turn above ${how} before it was answered.] | two`,
      "assistant: half an",
      `user: [The turn above ${how} before it was done.] | three`,
      "assistant:  <a>",
      "tool: file",
      `user: [The turn above ${how} before it was done.] | four`,
      "assistant: 4",
      "user: five",
    ]);
  });

  test("says nothing of a turn that was undone", () => {
    const undone: DurableEvent[] = [
      turn("t", "one"),
      ended("t", "cancelled"),
      { type: "history.undo", keep: 0, turns: 1 },
      turn("u", "two"),
    ];
    expect(spoken(undone)).toEqual(["user: two"]);
  });

  test("leaves out what was undone, and a compression that reaches past it", () => {
    const events: DurableEvent[] = [
      turn("t", "one"),
      reply("t", "1"),
      turn("u", "two"),
      reply("u", "2"),
      {
        type: "history.compress",
        from: 0,
        to: 7,
        summary: "sum",
        tokensBefore: 9,
        tokensAfter: 1,
        usage: NO_USAGE,
        automatic: true,
      },
      { type: "history.undo", keep: 3, turns: 1 },
      turn("v", "three"),
    ];
    expect(spoken(events)).toEqual(["user: one", "assistant: 1", "user: three"]);
  });

  test("puts a summary where its range was; of overlapping ones the newest counts", () => {
    const compress = (to: number, summary: string): DurableEvent => ({
      type: "history.compress",
      from: 0,
      to,
      summary,
      tokensBefore: 9,
      tokensAfter: 1,
      usage: NO_USAGE,
      automatic: true,
    });
    const events = [
      turn("t", "one"),
      reply("t", "1"),
      compress(3, "first"),
      turn("u", "two"),
      reply("u", "2"),
      compress(9, "second"),
      turn("v", "three"),
    ];
    expect(spoken(events)).toEqual(["user: [Summary of the conversation so far]\nsecond | three"]);
  });

  test("tells with the next prompt what happened beside the turns, and once", () => {
    const over: DurableEvent = {
      type: "process.complete",
      processId: "bg_1",
      command: "make",
      exitCode: 2,
      signal: null,
    };
    const told = [
      turn("t", "one"),
      over,
      reply("t", "1"),
      { type: "todos.cleared" } as const,
      turn("u", "two"),
    ];
    expect(spoken([...told, reply("u", "2"), turn("v", "three")])).toEqual([
      "user: one",
      "assistant: 1",
      "user: [The background command bg_1 (make) ended with exit code 2.] | [The user put the todo list away. Make a new one only for new work.] | two",
      "assistant: 2",
      "user: three",
    ]);
  });

  const over = (processId: string, more: { readonly heard?: true } = {}): DurableEvent => ({
    type: "process.complete",
    processId,
    command: "make",
    exitCode: 0,
    signal: null,
    ...more,
  });
  const told = (turnId: string, ...processIds: readonly string[]): DurableEvent => ({
    type: "process.told",
    turnId,
    processIds,
    text: `over: ${processIds.join(" ")}`,
  });

  test("tells within the turn what is noted there, after the results, and not again with the next prompt", () => {
    const rows = [
      turn("t", "one"),
      reply("t", "", ["a"]),
      started("t", "a"),
      over("bg_1"),
      result("t", "a", "done"),
      told("t", "bg_1"),
      over("bg_2"),
      over("bg_3", { heard: true }),
      reply("t", "1"),
      turn("u", "two"),
    ];
    expect(spoken(rows)).toEqual([
      "user: one",
      "assistant:  <a>",
      "tool: done",
      "user: over: bg_1",
      "assistant: 1",
      "user: [The background command bg_2 (make) ended with exit code 0.] | two",
    ]);
  });

  test("tells after a compression of what ended before it, unless it was told there", () => {
    const compress: DurableEvent = {
      type: "history.compress",
      from: 0,
      to: rowsOf([turn("t", "one"), reply("t", "1"), over("bg_1")]).at(-1)?.seq ?? 0,
      summary: "so far",
      tokensBefore: 10,
      tokensAfter: 1,
      usage: NO_USAGE,
      automatic: false,
    };
    const note = "[The background command bg_1 (make) ended with exit code 0.]";
    expect(spoken([turn("t", "one"), reply("t", "1"), over("bg_1"), compress, turn("u", "two")])).toEqual([
      `user: [Summary of the conversation so far]\nso far | ${note} | two`,
    ]);
    expect(spoken([over("bg_1"), turn("t", "one"), reply("t", "1"), compress, turn("u", "two")])).toEqual([
      "user: [Summary of the conversation so far]\nso far | two",
    ]);
  });

  test("joins prompts that got no answer", () => {
    expect(spoken([turn("t", "one"), turn("u", "two"), reply("u", "2"), turn("v", "three")])).toEqual([
      "user: one | two",
      "assistant: 2",
      "user: three",
    ]);
  });
});
