import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { times } from "../../../../kit/counts.ts";
import { callsIn, joined, uncut } from "../../../../kit/model-parts.ts";
import { decodeChat, delta, stream } from "./decode.ts";

const finishOf = (text: string): unknown => decodeChat(text).parts.at(-1);

describe("a stream", () => {
  test("needs no end marker when it has a finish reason", () => {
    const body = stream(delta({ content: "hi" }), delta({}, "stop")).replace("data: [DONE]\n\n", "");
    expect(decodeChat(body).parts).toEqual([
      { type: "text", text: "hi" },
      { type: "finish", reason: "stop" },
    ]);
  });

  test("needs no finish reason when it has an end marker", () => {
    expect(decodeChat(stream(delta({ content: "hi" }))).parts.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
    });
  });

  test("with neither was cut", () => {
    const { parts, error } = decodeChat('data: {"choices":[{"delta":{"content":"hi"}}]}\n\n');
    expect(parts).toEqual([{ type: "text", text: "hi" }]);
    expect(error).toMatchObject({
      code: "provider_network",
      message: expect.stringContaining("in the middle") as string,
    });
  });

  test.each(["", "\n\n", "data: [DONE]\n\n", ": ping\n\n", stream({ choices: [] })])(
    "that says nothing is an error: %j",
    (body) => {
      expect(decodeChat(body)).toMatchObject({
        parts: [],
        error: {
          code: "provider_network",
          message: expect.stringContaining("before it said anything") as string,
        },
      });
    },
  );

  test("may be empty when it says that it stops", () => {
    expect(decodeChat(stream(delta({ content: "" }, "stop")))).toEqual({
      parts: [{ type: "finish", reason: "stop" }],
    });
  });

  test("is over at its end marker, whatever follows", () => {
    const body =
      stream(delta({ content: "one" }, "stop")) +
      stream(delta({ content: "two" }), { error: { message: "late" } });
    expect(joined(decodeChat(body).parts)).toBe("one");
    expect(decodeChat(body).error).toBeUndefined();
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["content_filter", "refusal"],
    ["tool_calls", "stop"],
    ["eos_token", "stop"],
    ["", "stop"],
  ])("that ends with %j finishes with %s", (word, reason) => {
    expect(finishOf(stream(delta({ content: "x" }, word)))).toEqual({ type: "finish", reason });
  });

  test("with calls finishes with tool_calls, whatever its word for it is", () => {
    const call = { tool_calls: [{ index: 0, id: "a", function: { name: "ls", arguments: "{}" } }] };
    for (const word of ["stop", "tool_calls", "function_call", "odd", null]) {
      expect(finishOf(stream(delta(call, word)))).toMatchObject({ reason: "tool_calls" });
    }
    expect(finishOf(stream(delta(call, "length")))).toMatchObject({ reason: "length" });
  });

  test.each([
    ["error objects", { error: { message: "boom", type: "server_error" } }, "provider_overloaded"],
    ["errors with a status", { error: { message: "slow", code: 429 } }, "provider_rate_limit"],
    ["errors with a status as text", { error: { message: "no", code: "401" } }, "provider_auth"],
    ["errors in words", { error: "context_length_exceeded" }, "provider_context_overflow"],
    [
      "errors of another shape",
      { object: "error", message: "invalid request", code: 400 },
      "provider_bad_request",
    ],
    ["no money", { error: { message: "x", code: "insufficient_quota" } }, "provider_quota"],
    ["a finish by error", delta({}, "error"), "provider_overloaded"],
  ])("reports %s inside it", (_title, chunk, code) => {
    const { parts, error } = decodeChat(stream(delta({ content: "hi" }), chunk));
    expect(parts).toEqual([{ type: "text", text: "hi" }]);
    expect(error).toMatchObject({ code });
  });

  test("reports an event named error, JSON or not", () => {
    expect(decodeChat('event: error\ndata: {"message":"overloaded"}\n\n').error).toMatchObject({
      code: "provider_overloaded",
    });
    expect(decodeChat("event: error\ndata: rate limit reached\n\n").error).toMatchObject({
      code: "provider_rate_limit",
    });
  });

  test("with an event that is no JSON is broken", () => {
    expect(decodeChat("data: {oops\n\n").error).toMatchObject({ code: "provider_network" });
  });

  test("passes over what it does not know", () => {
    const body = stream(
      ": comment\n\n",
      "event: ping\ndata: {}\n\n",
      "data:\n\n",
      "data: null\n\n",
      "data: 5\n\n",
      { choices: "none" },
      { choices: [{ index: 1, delta: { content: "another choice" } }] },
      { choices: [null, 3] },
      { prompt_filter_results: [], choices: [] },
      delta(null),
      delta({ content: null, tool_calls: null, function_call: null, refusal: null, audio: {} }),
      delta({ content: "ok" }, "stop"),
    );
    expect(decodeChat(body)).toEqual({
      parts: [
        { type: "text", text: "ok" },
        { type: "finish", reason: "stop" },
      ],
    });
  });
});

describe("text", () => {
  test("may come as a list of parts", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "b" },
      7,
    ];
    expect(decodeChat(stream(delta({ content }, "stop"))).parts.slice(0, 3)).toEqual([
      { type: "text", text: "a" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "b" },
    ]);
  });

  test("of a refusal is shown, and finishes as one", () => {
    const { parts } = decodeChat(stream(delta({ refusal: "I will " }), delta({ refusal: "not." }, "stop")));
    expect(parts).toEqual([
      { type: "text", text: "I will not." },
      { type: "finish", reason: "refusal" },
    ]);
  });

  test("keeps NULs, lone surrogates and marks of the byte order", () => {
    const odd = "a\u0000b\ud800c\ufeffd";
    expect(joined(decodeChat(`\ufeff${stream(delta({ content: odd }, "stop"))}`).parts)).toBe(odd);
  });

  test("with bytes that are no UTF-8 has signs in their place, and loses nothing else", () => {
    const [before, after] = stream(delta({ content: "left|right" }, "stop")).split("|");
    const body = Buffer.concat([
      Buffer.from(before ?? ""),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(after ?? ""),
    ]);
    expect(joined(decodeChat(body).parts)).toBe("left\ufffd\ufffdright");
  });
});

describe("reasoning", () => {
  test.each([
    ["reasoning_content", { reasoning_content: "hm" }],
    ["reasoning", { reasoning: "hm" }],
    ["reasoning_details", { reasoning_details: [{ type: "reasoning.text", text: "hm" }] }],
    ["summaries", { reasoning_details: [{ type: "reasoning.summary", summary: "hm" }] }],
    [
      "two fields that say the same",
      { reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] },
    ],
  ])("is read from %s", (_title, value) => {
    expect(joined(decodeChat(stream(delta(value), delta({ content: "x" }, "stop"))).parts, "reasoning")).toBe(
      "hm",
    );
  });

  test("that has to be sent back is kept in the finish", () => {
    const call = {
      tool_calls: [
        {
          index: 0,
          id: "a",
          function: { name: "ls", arguments: "{}" },
          extra_content: { google: { thought_signature: "S" } },
        },
      ],
    };
    const { parts } = decodeChat(
      stream(
        delta({ reasoning: "he", reasoning_details: [{ type: "reasoning.text", index: 0, text: "he" }] }),
        delta({ reasoning: "llo", reasoning_details: [{ type: "reasoning.text", index: 0, text: "llo" }] }),
        delta({ reasoning_details: [{ type: "reasoning.text", index: 0, signature: "sig" }] }),
        delta(call, "tool_calls"),
      ),
    );
    expect(parts.at(-1)).toEqual({
      type: "finish",
      reason: "tool_calls",
      items: {
        dialect: "openai-chat",
        model: "local:test-model",
        items: [
          {
            reasoningField: "reasoning",
            reasoningDetails: [{ type: "reasoning.text", index: 0, text: "hello", signature: "sig" }],
            callExtras: [{ google: { thought_signature: "S" } }],
          },
        ],
      },
    });
  });
});

describe("usage", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4 };
  const usageIn = (value: unknown): unknown =>
    decodeChat(stream(delta({ content: "x" }, "stop"), { choices: [], usage: value })).parts.find(
      ({ type }) => type === "usage",
    );

  test("is the last one that was sent, and comes once", () => {
    const { parts } = decodeChat(
      stream(
        { ...(delta({ content: "x" }) as object), usage: { prompt_tokens: 1, completion_tokens: 1 } },
        { choices: [], usage },
      ),
    );
    expect(parts.filter(({ type }) => type === "usage")).toEqual([
      { type: "usage", usage: { input: 9, output: 4, reasoning: 0, cacheRead: 0, cacheWrite: 0 } },
    ]);
  });

  test.each([
    null,
    {},
    "many",
    { prompt_tokens: -1, completion_tokens: 4 },
    { prompt_tokens: 9, completion_tokens: 1e15 },
    { prompt_tokens: "9", completion_tokens: 4 },
    { prompt_tokens: 9, completion_tokens: Number.NaN },
  ])("that cannot be true is left out: %j", (value) => {
    expect(usageIn(value)).toBeUndefined();
  });

  test("has no part that is larger than the whole", () => {
    expect(
      usageIn({
        ...usage,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }),
    ).toEqual({ type: "usage", usage: { input: 9, output: 4, reasoning: 4, cacheRead: 9, cacheWrite: 0 } });
    expect(usageIn({ ...usage, prompt_cache_hit_tokens: 3 })).toMatchObject({ usage: { cacheRead: 3 } });
  });
});

describe("an answer in one piece", () => {
  const completion = {
    choices: [
      {
        message: {
          content: "hi",
          reasoning_content: "hm",
          tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: '{"x":1}' } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };

  test("to a streamed request is read all the same", () => {
    const { parts, error } = decodeChat(`\n ${JSON.stringify(completion, null, 2)}`);
    expect(error).toBeUndefined();
    expect(joined(parts)).toBe("hi");
    expect(joined(parts, "reasoning")).toBe("hm");
    expect(callsIn(parts)).toEqual([{ id: "a", name: "ls", input: { x: 1 } }]);
  });

  test.each([{ hello: 1 }, [], { choices: [] }, { object: "list", data: [] }])(
    "that is no completion is an error: %j",
    (value) => {
      expect(decodeChat(JSON.stringify(value))).toMatchObject({
        parts: [],
        error: { code: "provider_bad_request" },
      });
    },
  );

  test("with an error in it is that error, in a list too", () => {
    const error = { error: { message: "rate limit", code: 429 } };
    expect(decodeChat(JSON.stringify(error)).error).toMatchObject({ code: "provider_rate_limit" });
    expect(decodeChat(JSON.stringify([error])).error).toMatchObject({ code: "provider_rate_limit" });
  });
});

const chunks = fc.oneof(
  fc.record({ content: fc.string({ unit: "binary" }) }),
  fc.record({ reasoning_content: fc.string({ unit: "grapheme" }) }),
  fc.record({
    tool_calls: fc.array(
      fc.record(
        {
          index: fc.nat(2),
          id: fc.constantFrom("a", "b", "", "c"),
          function: fc.record(
            { name: fc.constantFrom("ls", "", "read"), arguments: fc.string({ unit: "grapheme" }) },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
  }),
);

test("a reply is the same however its bytes are cut", () => {
  fc.assert(
    fc.property(
      fc.array(chunks, { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat(400), { maxLength: 20 }),
      (deltas, newline, cuts) => {
        const text = stream(...deltas.map((value) => delta(value)), delta({}, "stop")).replaceAll(
          "\n",
          newline,
        );
        const body = Buffer.from(text);
        const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length];
        const reads = places.slice(1).map((place, i) => body.subarray(places[i], place));
        expect(uncut(decodeChat(...reads).parts)).toEqual(uncut(decodeChat(body).parts));
      },
    ),
    { numRuns: times(5000) },
  );
});

test("whatever arrives, it is one finish or one error, and never anything else", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          chunks.map((value) => delta(value)),
          fc.jsonValue(),
        ),
        { maxLength: 6 },
      ),
      fc.array(fc.record({ at: fc.nat(2000), byte: fc.nat(255) }), { maxLength: 6 }),
      (values, damage) => {
        const body = Buffer.from(
          stream(...values.map((value) => (typeof value === "string" ? { value } : value))),
        );
        for (const { at, byte } of damage) body[at % body.length] = byte;
        const { parts, error } = decodeChat(body);
        expect(parts.filter(({ type }) => type === "finish")).toHaveLength(error === undefined ? 1 : 0);
        expect(parts.at(-1)?.type === "finish").toBe(error === undefined);
      },
    ),
    { numRuns: times(10_000) },
  );
});
