import fc from "fast-check";
import {
  type DurableEvent,
  type GivenMessage,
  NO_USAGE,
  type Prompt,
  type Row,
  textPart,
  type ToolCall,
} from "../../src/core/index.ts";

const words = fc.oneof(fc.constant(""), fc.constant("  "), fc.string({ unit: "grapheme", maxLength: 12 }));
const callId = fc.constantFrom("c1", "c2", "c3", "c4", "c5", "c6");
const turnId = fc.constantFrom("t1", "t2", "t3");
const processId = fc.constantFrom("bg_1", "bg_2");
const requestId = fc.constantFrom("q1", "q2");

const prompt: fc.Arbitrary<Prompt> = fc.record({
  id: fc.constantFrom("p1", "p2", "p3"),
  parts: fc.array(words.map(textPart), { maxLength: 2 }),
  from: fc.constant({ surface: "test" }),
  questions: fc.constant({ mode: "ask" as const }),
});

const call: fc.Arbitrary<ToolCall> = fc.record({
  id: callId,
  name: fc.constantFrom("read_file", "terminal"),
  input: fc.constant({}),
});

const given: fc.Arbitrary<GivenMessage> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), parts: fc.array(words.map(textPart), { maxLength: 2 }) }),
  fc.record({
    role: fc.constant("assistant" as const),
    text: words,
    calls: fc.array(call, { maxLength: 2 }),
  }),
  fc.record({ role: fc.constant("tool" as const), callId, text: words }),
);

const cursor = fc.integer({ min: 0, max: 60 });

/** Any event that folds and conversations look at, in no sensible order. */
const anyEvent: fc.Arbitrary<DurableEvent> = fc.oneof(
  fc.record({ type: fc.constant("turn.start" as const), turnId, prompt }),
  fc.record({ type: fc.constant("prompt.queued" as const), prompt }),
  fc.record({ type: fc.constant("history.given" as const), messages: fc.array(given, { maxLength: 4 }) }),
  fc.record({
    type: fc.constant("reply.complete" as const),
    turnId,
    segments: fc.array(
      fc.record({ kind: fc.constantFrom("text" as const, "reasoning" as const), cursor, text: words }),
      { maxLength: 3 },
    ),
    calls: fc.array(call, { maxLength: 3 }),
    finish: fc.constant("stop" as const),
    usage: fc.constant({ ...NO_USAGE, calls: 1, input: 10, output: 5 }),
    provider: fc.constant("p"),
    model: fc.constant("m"),
  }),
  fc.record({
    type: fc.constant("tool.start" as const),
    turnId,
    callId,
    name: fc.constant("terminal"),
    kind: fc.constant("execute" as const),
    label: fc.constant("ls"),
    input: fc.constant({}),
  }),
  fc.record({
    type: fc.constant("tool.complete" as const),
    turnId,
    callId,
    name: fc.constant("terminal"),
    label: fc.constant("ls"),
    outcome: fc.constantFrom("ok" as const, "error" as const),
    content: fc.array(words.map(textPart), { maxLength: 1 }),
    durationMs: fc.constant(1),
  }),
  fc.record({
    type: fc.constant("clarify.request" as const),
    requestId,
    turnId,
    callId,
    timeoutMs: fc.constant(1000),
    beforeEffect: fc.boolean(),
    question: words,
    choices: fc.constant([]),
  }),
  fc.record({
    type: fc.constant("clarify.resolved" as const),
    requestId,
    turnId,
    callId,
    resolution: fc.constant({ outcome: "expired" as const }),
  }),
  fc.record({
    type: fc.constant("steer.delivered" as const),
    turnId,
    steerIds: fc.constant(["s1"]),
    text: words,
  }),
  fc.record({
    type: fc.constant("process.start" as const),
    processId,
    command: words,
    hostId: fc.constant("h"),
  }),
  fc.record(
    {
      type: fc.constant("process.complete" as const),
      processId,
      command: words,
      exitCode: fc.constantFrom(0, 3, null),
      signal: fc.constant(null),
      heard: fc.constant(true as const),
    },
    { requiredKeys: ["type", "processId", "command", "exitCode", "signal"] },
  ),
  fc.record({
    type: fc.constant("process.told" as const),
    turnId,
    processIds: fc.array(processId, { maxLength: 2 }),
    text: words,
  }),
  fc.record({ type: fc.constant("history.undo" as const), keep: cursor, turns: fc.constant(1) }),
  fc.record({
    type: fc.constant("history.compress" as const),
    from: cursor,
    to: cursor,
    summary: words,
    tokensBefore: fc.constant(10),
    tokensAfter: fc.constant(1),
    usage: fc.constant(NO_USAGE),
    automatic: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("turn.end" as const),
    turnId,
    outcome: fc.constantFrom("completed" as const, "interrupted" as const),
    usage: fc.constant(NO_USAGE),
  }),
  fc.record({ type: fc.constant("title.set" as const), title: words, by: fc.constant("user" as const) }),
);

/** Rows of events with rising numbers. */
export function rowsOf(events: readonly DurableEvent[]): readonly Row[] {
  return events.map((event, index) => ({ n: index + 1, seq: 2 * index + 1, at: 1000 + index, event }));
}

export const anyRows: fc.Arbitrary<readonly Row[]> = fc.array(anyEvent, { maxLength: 30 }).map(rowsOf);
