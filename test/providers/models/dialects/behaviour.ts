import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { textPart } from "../../../../src/core/events/content.ts";
import type { ErrorCode } from "../../../../src/shared/errors/host-error.ts";
import type { ModelPart } from "../../../../src/core/ports/model.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { handClock } from "../../../kit/clock.ts";
import { smallPng } from "../../../kit/small-png.ts";
import { ask, callsIn, joined, modelRequest, outcomeOf, uncut } from "../../../kit/model-parts.ts";
import {
  callTool,
  gate,
  reply,
  say,
  startModelServer,
  think,
  waitAt,
} from "../../../kit/model-server/index.ts";

/** A dialect as the suite sees it. */
export interface DialectUnderTest {
  readonly name: string;
  /** The `model` block that speaks it, without `base_url`. */
  readonly block: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
  /** From here on in an answer its reply is whole, whatever comes after. */
  readonly wholeFrom: "before-usage" | "after-usage";
  /** What a strict endpoint finds wrong with a request's body. */
  readonly problems: (body: unknown) => readonly string[];
}

const TOOLS = [
  {
    name: "read_file",
    description: "Reads.",
    parameters: { type: "object", properties: { path: { type: "string" } } },
  },
];

/** What every dialect's models do, whatever they are asked with. */
export function describeModels(dialect: DialectUnderTest): void {
  const open = async (
    options: { readonly block?: object; readonly clock?: ReturnType<typeof handClock> } = {},
  ) => {
    const server = await startModelServer();
    const block = { ...dialect.block, base_url: server.baseUrl, ...options.block };
    const models = configuredModels(parseModelsConfig(block), {
      env: dialect.env,
      clock: options.clock ?? systemClock,
    });
    return { server, model: models.resolve({}), [Symbol.asyncDispose]: () => server.close() };
  };

  describe.each([
    ["streamed", {}],
    ["in one piece", { stream: false }],
  ])(`${dialect.name}, %s`, (_title, block) => {
    test("text, reasoning, calls, usage and the end come in the dialect-free form", async () => {
      await using kit = await open({ block });
      kit.server.script(
        reply(
          [
            think("Let ", "me see."),
            say("Two ", "files: "),
            callTool("read_file", { path: "a" }, { id: "c1" }),
            callTool("read_file", { path: "b" }, { id: "c2" }),
          ],
          {
            usage: { input: 100, output: 20, cached: 60, reasoning: 5 },
          },
        ),
      );
      const { parts, error } = await ask(kit.model, { tools: TOOLS });
      expect(error).toBeUndefined();
      expect(joined(parts, "reasoning")).toBe("Let me see.");
      expect(joined(parts)).toBe("Two files: ");
      expect(callsIn(parts)).toEqual([
        { id: "c1", name: "read_file", input: { path: "a" } },
        { id: "c2", name: "read_file", input: { path: "b" } },
      ]);
      const last = parts.slice(-2);
      expect(last[0]).toEqual({
        type: "usage",
        usage: { input: 100, output: 20, reasoning: 5, cacheRead: 60, cacheWrite: 0 },
      });
      expect(last[1]).toMatchObject({ type: "finish", reason: "tool_calls" });
    });

    test("each call starts before its arguments come, and its arguments add up", async () => {
      await using kit = await open({ block });
      kit.server.script(reply([callTool("read_file", { path: "a long path" }, { id: "c1", pieces: 7 })]));
      const { parts } = await ask(kit.model, { tools: TOOLS });
      const calls = uncut(parts).filter(({ type }) => type.startsWith("call"));
      const text = JSON.stringify({ path: "a long path" });
      expect(calls).toEqual([
        { type: "call.start", id: "c1", name: "read_file" },
        { type: "call.delta", id: "c1", text },
        { type: "call.end", id: "c1", name: "read_file", arguments: text },
      ]);
    });

    test("a call that is aborted before its answer ends without a word, and its connection closes", async () => {
      await using kit = await open({ block });
      kit.server.script(reply("never", { fault: { name: "stall", at: "before-headers" } }));
      const life = new AbortController();
      const outcome = ask(kit.model, { signal: life.signal });
      const request = await kit.server.request(1);
      life.abort();
      expect(await outcome).toEqual({ parts: [] });
      expect(await request.over).toBe("closed");
    });

    test("a call with an aborted signal sends nothing", async () => {
      await using kit = await open({ block });
      expect(await ask(kit.model, { signal: AbortSignal.abort() })).toEqual({ parts: [] });
      expect(kit.server.requests).toEqual([]);
    });

    test.each<[number, string, ErrorCode]>([
      [401, "Incorrect API key provided", "provider_auth"],
      [403, "Forbidden", "provider_auth"],
      [402, "Payment required", "provider_quota"],
      [404, "The model `x` does not exist", "provider_not_found"],
      [408, "Timeout", "provider_network"],
      [413, "Too large", "provider_context_overflow"],
      [400, "This model's maximum context length is 8192 tokens", "provider_context_overflow"],
      [400, "Unknown parameter", "provider_bad_request"],
      [422, "Unprocessable", "provider_bad_request"],
      [429, "Rate limit reached", "provider_rate_limit"],
      [429, "You exceeded your current quota, please check your plan and billing details", "provider_quota"],
      [500, "Internal error", "provider_overloaded"],
      [502, "<html><title>Bad gateway</title></html>", "provider_overloaded"],
      [503, "Busy", "provider_overloaded"],
      [529, "Overloaded", "provider_overloaded"],
      [307, "", "provider_not_found"],
    ])("status %i with %j is %s, after one request", async (status, message, code) => {
      await using kit = await open({ block });
      const body = message.startsWith("<") ? message : JSON.stringify({ error: { message } });
      kit.server.script({
        status,
        body,
        headers: { location: "http://169.254.169.254/latest", "x-request-id": "req-77" },
      });
      const { parts, error } = await ask(kit.model);
      expect(parts).toEqual([]);
      expect(error).toMatchObject({ code, details: { status, requestId: "req-77" } });
      expect(kit.server.requests).toHaveLength(1);
    });

    test("a request is legal for a strict endpoint, tools, calls, results and all", async () => {
      await using kit = await open({ block });
      kit.server.script(reply("ok"));
      await ask(kit.model, {
        tools: TOOLS,
        maxOutputTokens: 100,
        messages: [
          { role: "user", parts: [textPart("Read a."), { type: "link", uri: "file:///a", name: "a" }] },
          {
            role: "assistant",
            text: "",
            reasoning: "Hm.",
            calls: [{ id: "c1", name: "read_file", input: { path: "a" } }],
          },
          { role: "tool", results: [{ callId: "c1", name: "read_file", content: [], isError: false }] },
        ],
      });
      const request = await kit.server.request(1);
      expect(request.path).toBe(dialect.path);
      expect(dialect.problems(request.body)).toEqual([]);
    });

    const picture = {
      type: "image",
      blob: { hash: "a".repeat(64), size: 3 },
      mediaType: "image/jpeg",
      name: "cat",
    } as const;

    test("an image is sent to a model that sees as what it is, and described to one that does not", async () => {
      const messages = [{ role: "user", parts: [textPart("What is it?"), picture] }] as const;
      const bytes = smallPng();
      for (const vision of [true, false]) {
        await using kit = await open({ block: { ...block, vision } });
        kit.server.script(reply("a cat"));
        await ask(kit.model, { messages, loadBlob: () => Promise.resolve(bytes) });
        const { text, body } = await kit.server.request(1);
        expect(text.includes(bytes.toString("base64"))).toBe(vision);
        expect(text.includes("image/png")).toBe(vision);
        expect(text.includes("cannot look at images")).toBe(!vision);
        expect(dialect.problems(body)).toEqual([]);
      }
    });

    test("of more images than endpoints take the newest are sent", async () => {
      const content = [...Array(100).keys()].map((index) => ({ ...picture, name: `cat ${index}` }));
      const messages = [{ role: "user", parts: [textPart("Which?"), ...content] }] as const;
      await using kit = await open({ block: { ...block, vision: true } });
      kit.server.script(reply("the last"));
      await ask(kit.model, { messages, loadBlob: () => Promise.resolve(smallPng()) });
      const { text, body } = await kit.server.request(1);
      expect(text.split(smallPng().toString("base64"))).toHaveLength(91);
      expect(
        text.match(/cat \d+, image\/jpeg, 3 bytes\) is not shown: there is room for newer/g),
      ).toHaveLength(10);
      expect(text).toContain("cat 9,");
      expect(dialect.problems(body)).toEqual([]);
    });

    test("an image of a tool is sent too; what is none, damaged or too large becomes words", async () => {
      const call = { id: "c1", name: "view_image", input: { path: "cat.png" } };
      const messages = [
        { role: "user", parts: [textPart("What is it?")] },
        { role: "assistant", text: "", reasoning: "", calls: [call] },
        { role: "tool", results: [{ callId: "c1", name: "view_image", content: [picture], isError: false }] },
      ] as const;
      const huge = smallPng({ width: 9000, height: 9000 });
      for (const [bytes, said] of [
        [smallPng(), smallPng().toString("base64")],
        [Buffer.from("<svg/>"), "models take PNG, JPEG, GIF and WebP only"],
        [smallPng().subarray(0, 12), "it is damaged"],
        [huge, "with 9000 × 9000 pixels it is too large"],
      ] as const) {
        await using kit = await open({ block: { ...block, vision: true } });
        kit.server.script(reply("a cat"));
        await ask(kit.model, { messages, loadBlob: () => Promise.resolve(bytes) });
        const { text, body } = await kit.server.request(1);
        expect(text).toContain(said);
        expect(dialect.problems(body)).toEqual([]);
      }
    });
  });

  describe(`${dialect.name} streams`, () => {
    test("text is there before the rest of the answer is", async () => {
      await using kit = await open();
      const held = gate();
      kit.server.script(reply([say("now"), waitAt(held), say(" and later")]));
      const stream = kit.model.stream(modelRequest())[Symbol.asyncIterator]();
      expect((await stream.next()).value).toEqual({ type: "text", text: "now" });
      await held.reached;
      held.open();
      expect((await stream.next()).value).toEqual({ type: "text", text: " and later" });
    });

    test("text that arrived together comes as one part", async () => {
      await using kit = await open();
      kit.server.script(reply([say("a", "b", "c"), think("x", "y"), say("d", "e")], { together: true }));
      const { parts } = await ask(kit.model);
      expect(parts.slice(0, 3)).toEqual([
        { type: "text", text: "abc" },
        { type: "reasoning", text: "xy" },
        { type: "text", text: "de" },
      ]);
    });

    test("a call that is aborted in the middle of its answer ends without an error, and its connection closes", async () => {
      await using kit = await open();
      kit.server.script(reply([say("one"), waitAt(gate()), say("two")]));
      const life = new AbortController();
      const seen: ModelPart[] = [];
      for await (const part of kit.model.stream(modelRequest({ signal: life.signal }))) {
        seen.push(part);
        life.abort();
      }
      expect(seen).toEqual([{ type: "text", text: "one" }]);
      expect(await (await kit.server.request(1)).over).toBe("closed");
    });

    test("a reader that leaves closes the connection", async () => {
      await using kit = await open();
      kit.server.script(reply([say("one"), waitAt(gate()), say("two")]));
      const stream = kit.model.stream(modelRequest())[Symbol.asyncIterator]();
      expect((await stream.next()).value).toEqual({ type: "text", text: "one" });
      await stream.return?.();
      expect(await (await kit.server.request(1)).over).toBe("closed");
    });

    test("a reader that takes its time is no stalled endpoint", async () => {
      const clock = handClock();
      await using kit = await open({ clock });
      const held = gate();
      kit.server.script(reply([say("one"), waitAt(held), say("two")]));
      const seen: ModelPart[] = [];
      for await (const part of kit.model.stream(modelRequest())) {
        seen.push(part);
        clock.advance(24 * 3600 * 1000);
        held.open();
      }
      expect(joined(seen)).toBe("onetwo");
      expect(seen.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    });

    test("after a reply its connection serves the next ones", async () => {
      await using kit = await open();
      for (let n = 1; n <= 10; n += 1) {
        kit.server.script(reply("ok"));
        expect((await ask(kit.model)).error).toBeUndefined();
      }
      // A call that begins while the last one's end marker is on its way needs a connection of its own.
      expect(new Set(kit.server.requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
    });

    test("several calls of one model run side by side", async () => {
      await using kit = await open();
      const gates = [gate(), gate(), gate()];
      for (const held of gates) kit.server.script(reply([waitAt(held), say("done")]));
      const outcomes = gates.map(() => outcomeOf(kit.model.stream(modelRequest())));
      await Promise.all(gates.map(({ reached }) => reached));
      for (const held of gates.toReversed()) held.open();
      const texts = (await Promise.all(outcomes)).map(({ parts }) => joined(parts));
      expect(texts).toEqual(["done", "done", "done"]);
    });
  });
}
