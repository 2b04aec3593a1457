import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Model, type ModelPart, textPart } from "../../../../src/core/index.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import type { ErrorCode } from "../../../../src/shared/errors/host-error.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";
import { smallPng } from "../../../kit/small-png.ts";
import { ask, joined, modelRequest, outcomeOf } from "../../../kit/model-parts.ts";
import {
  type Answer,
  flood,
  gzipBomb,
  refusingUrl,
  reply,
  shortBody,
  startModelServer,
  streamOf,
} from "../../../kit/model-server/index.ts";

const open = async (
  options: {
    readonly clock?: HandClock;
    readonly env?: Readonly<Record<string, string>>;
    readonly block?: object;
  } = {},
) => {
  const server = await startModelServer();
  const block = { provider: "local", default: "m", base_url: server.baseUrl, ...options.block };
  const models = configuredModels(parseModelsConfig(block), {
    env: options.env ?? {},
    clock: options.clock ?? systemClock,
  });
  return { server, model: models.resolve({}), [Symbol.asyncDispose]: () => server.close() };
};

describe("answers that no endpoint should give", () => {
  test.each<[string, Answer, ErrorCode, RegExp]>([
    [
      "a web page with status 200",
      { status: 200, headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
      "provider_bad_request",
      /web page/,
    ],
    ["nothing with status 200", { status: 200 }, "provider_network", /before it said anything/],
    ["nothing with status 204", { status: 204 }, "provider_network", /before it said anything/],
    [
      "JSON of something else",
      { status: 200, body: '{"ok":true}' },
      "provider_bad_request",
      /no chat completion/,
    ],
    [
      "JSON that breaks off",
      { status: 200, body: '{"choices":[{"message":' },
      "provider_network",
      /broke off/,
    ],
    [
      "a redirect to an address of the cloud's own",
      { status: 301, headers: { location: "http://169.254.169.254/latest" } },
      "provider_not_found",
      /169\.254\.169\.254.*not followed/,
    ],
    [
      "fewer bytes than announced",
      shortBody('data: {"choices":[{"delta":{"content":"hi"}}]}\n\n'),
      "provider_network",
      /broke/,
    ],
    ["a bomb of one line", gzipBomb(64, "line"), "provider_bad_request", /than any reply is long/],
    ["a bomb of one document", gzipBomb(64, "document"), "provider_bad_request", /than any reply is long/],
    ["a bomb of comments", gzipBomb(256, "comments"), "provider_bad_request", /than any reply is long/],
    ["a refusal that never ends", endlessRefusal, "provider_overloaded", /answered 500/],
  ])("%s", async (_title, ...[answer, code, message]) => {
    await using kit = await open();
    kit.server.script(answer);
    const { parts, error } = await ask(kit.model);
    expect(parts.filter(({ type }) => type !== "text")).toEqual([]);
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
    expect(kit.server.requests).toHaveLength(1);
  });

  test("a million tiny frames are one reply", async () => {
    await using kit = await open();
    kit.server.script(flood(1_000_000));
    let size = 0;
    for await (const part of kit.model.stream(modelRequest()))
      if (part.type === "text") size += part.text.length;
    expect(size).toBe(1_000_000);
  });

  test("two end markers, and data after them, change nothing", async () => {
    await using kit = await open();
    const chunk = 'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n';
    kit.server.script(streamOf(`${chunk}data: [DONE]\n\n`, `data: [DONE]\n\n${chunk}`));
    const { parts, error } = await ask(kit.model);
    expect(error).toBeUndefined();
    expect(joined(parts)).toBe("hi");
  });
});

describe("a reader that takes parts when they are offered", () => {
  const said = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const refusal = `data: ${JSON.stringify({ error: { message: "no images here", code: 400, type: "invalid_request_error" } })}\n\n`;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const image = { type: "image", blob: { hash: "a".repeat(64), size: 100 }, mediaType: "image/png" } as const;

  /** An answer whose first word is yielded or taken; the rest is sent when the reader has it, and waits for more. */
  function answer(rest: readonly string[], { ends = true } = {}) {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>();
    const script: Answer = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(said("First "));
      await seen;
      for (const bytes of rest) response.write(bytes);
      if (ends) response.end();
    };
    return { script, see };
  }

  async function read(model: Model, takes: (text: string) => boolean, see: () => void) {
    const [taken, yielded] = [[] as string[], [] as string[]];
    const request = modelRequest({ messages: [{ role: "user", parts: [textPart("look"), image] }] });
    const parts = model.stream({ ...request, loadBlob: () => Promise.resolve(smallPng()) });
    const take = (part: ModelPart): boolean =>
      part.type === "text" && takes(part.text) && taken.push(part.text) > 0;
    parts.offerTo?.((part) => {
      see();
      return take(part);
    });
    async function* rest(): AsyncGenerator<ModelPart, void> {
      for await (const part of parts) {
        see();
        if (part.type === "text") yielded.push(part.text);
        yield part;
      }
    }
    const { error } = await outcomeOf(rest());
    return {
      taken: taken.join("").replace("First ", ""),
      yielded: yielded.join("").replace("First ", ""),
      error,
    };
  }

  test("gets all others from the stream, each once and in its place", async () => {
    await using kit = await open();
    const words = Array.from({ length: 200 }, (_, index) => `${index} `);
    const { script, see } = answer([...words.map(said), end]);
    kit.server.script(script);
    const { taken, yielded, error } = await read(kit.model, (text) => !text.includes("7"), see);
    expect(error).toBeUndefined();
    const numbers = (text: string): number[] => text.trim().split(/ +/).filter(Boolean).map(Number);
    const rises = (list: readonly number[]): boolean =>
      list.every((n, at) => at === 0 || n > (list[at - 1] ?? n));
    expect([...numbers(taken), ...numbers(yielded)].toSorted((a, b) => a - b)).toEqual(words.map(Number));
    expect([rises(numbers(taken)), rises(numbers(yielded))]).toEqual([true, true]);
    expect(yielded).toContain("77 ");
  });

  test("gets no second answer when the first fails after a part that it took", async () => {
    await using kit = await open();
    const { script, see } = answer([said("Well, "), refusal]);
    kit.server.script(script, reply("another"));
    const { taken, yielded, error } = await read(kit.model, () => true, see);
    expect({ taken, yielded }).toEqual({ taken: "Well, ", yielded: "" });
    expect(error?.code).toBe("provider_bad_request");
    expect(kit.server.requests).toHaveLength(1);
  });

  test("learns of what broke the reply in the packet of its last part, also while the connection stays open", async () => {
    await using kit = await open();
    const { script, see } = answer([`${said("Well, ")}${refusal}`], { ends: false });
    kit.server.script(script);
    const { taken, error } = await read(kit.model, () => true, see);
    expect(taken).toBe("Well, ");
    expect(error?.message).toContain("no images here");
  });
});

describe("an endpoint that cannot be reached", () => {
  test("is named, with the network's own word and what to check", async () => {
    await using kit = await open({ block: { base_url: await refusingUrl() } });
    const { error } = await ask(kit.model);
    expect(error).toMatchObject({ code: "provider_network" });
    expect(error?.message).toMatch(
      /^127\.0\.0\.1:\d+ refused the connection \(ECONNREFUSED\)\. Is the model server running/,
    );
  });
});

test("no error repeats a secret that the endpoint repeats", async () => {
  await using server = await startModelServer();
  const block = {
    base_url: `${server.baseUrl}?token=query-secret&api-version=1`,
    default: "m",
    key_env: "KEY",
  };
  const models = configuredModels(parseModelsConfig(block), {
    env: { KEY: "sk-very-secret" },
    clock: systemClock,
  });
  const body = "You sent Bearer sk-very-secret and query-secret.";
  server.script(
    { status: 401, body },
    { status: 200, body: `data: ${JSON.stringify({ error: { message: body } })}\n\n` },
  );
  for (let n = 0; n < 2; n += 1) {
    const { error } = await ask(models.resolve({}));
    expect(error?.message).toContain("You sent Bearer [secret] and [secret].");
  }
});

describe("timeouts", () => {
  const HOUR_MS = 3600 * 1000;

  /** A server that says nothing of use until it is told to: `ping` sends a comment, `finish` the reply. */
  const pinging = () => {
    const begun = Promise.withResolvers<{
      readonly ping: () => Promise<void>;
      readonly finish: () => void;
    }>();
    const answer: Answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      begun.resolve({
        async ping() {
          await new Promise<void>((written) => response.write(": ping\n\n", () => written()));
          // Both ends are in this process: what was written is read within a few turns.
          for (let n = 0; n < 5; n += 1) await turn();
        },
        finish: () =>
          response.end('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n'),
      });
    };
    return { answer, begun: begun.promise };
  };

  test("bytes that say nothing are not waited for longer than the stale deadline", async () => {
    const clock = handClock();
    await using kit = await open({ clock, env: { AGENT_STREAM_STALE_TIMEOUT: "180" } });
    const { answer, begun } = pinging();
    kit.server.script(answer);
    const outcome = outcomeOf(kit.model.stream(modelRequest()));
    const { ping } = await begun;
    for (let n = 0; n < 3; n += 1) {
      await ping();
      clock.advance(60_000);
    }
    const { error } = await outcome;
    expect(error).toMatchObject({ code: "provider_stalled" });
    expect(error?.message).toMatch(/said nothing for 180 s.*AGENT_STREAM_STALE_TIMEOUT/);
    expect(await (await kit.server.request(1)).over).toBe("closed");
  });

  test("a local server that shows signs of life is waited for as long as it likes", async () => {
    const clock = handClock();
    await using kit = await open({ clock });
    const { answer, begun } = pinging();
    kit.server.script(answer);
    const outcome = outcomeOf(kit.model.stream(modelRequest()));
    const { ping, finish } = await begun;
    for (let n = 0; n < 20; n += 1) {
      await ping();
      clock.advance(HOUR_MS / 4);
    }
    finish();
    expect(joined((await outcome).parts)).toBe("hi");
  });

  test.each<[string, object, string]>([
    ["a stream", {}, "AGENT_STREAM_READ_TIMEOUT"],
    ["an answer in one piece", { stream: false }, "AGENT_API_TIMEOUT"],
  ])(
    "%s that does not come is given up exactly then, and the variable is named",
    async (_title, block, variable) => {
      const clock = handClock();
      await using kit = await open({ clock, block, env: { [variable]: "7" } });
      kit.server.script(reply("never", { fault: { name: "stall", at: "before-headers" } }));
      const outcome = outcomeOf(kit.model.stream(modelRequest()));
      await kit.server.request(1);
      clock.advance(6999);
      expect(clock.pending()).toHaveLength(1);
      clock.advance(1);
      const { error } = await outcome;
      expect(error?.code).toBe("provider_stalled");
      expect(error?.message).toContain(variable);
    },
  );

  test("no timer is left behind, however a call ends", async () => {
    const clock = handClock();
    await using kit = await open({ clock });
    kit.server.script(
      reply("ok"),
      { status: 500 },
      reply("x", { fault: { name: "reset", at: "first-token" } }),
    );
    for (let n = 0; n < 3; n += 1) await ask(kit.model);
    // The wait for the rest of a good answer goes on beside it, for a second.
    clock.advance(1000);
    expect(clock.pending()).toEqual([]);
  });
});

function endlessRefusal(response: Parameters<Extract<Answer, (...all: never) => unknown>>[0]): void {
  response.writeHead(500);
  const more = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
  };
  response.on("drain", more);
  more();
}
