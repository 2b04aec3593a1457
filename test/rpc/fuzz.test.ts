import fc from "fast-check";
import { expect, test } from "vitest";
import { METHODS } from "../../src/rpc/protocol/methods.ts";
import { seed, times } from "../kit/counts.ts";
import { callTool, say, scriptedModelWith } from "../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";
import { resultFault } from "./wire-form.ts";

const names = Object.keys(METHODS);

/** Keys that methods know, so that values get past the first check. */
const KEYS = [...new Set(Object.values(METHODS).flatMap(({ params }) => Object.keys(params.shape)))];
const SESSIONS = ["s1", "s2", "never", ""];
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...SESSIONS,
    "model",
    "busy",
    "full",
    "/help",
    "/",
    "once",
    "../../etc/passwd",
    null,
    true,
    0,
    -1,
    1e308,
  ),
  fc.string(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
);
const params = fc.oneof(
  fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 5 }),
  fc.record({ session_id: fc.constantFrom(...SESSIONS), text: fc.constantFrom("go", "", "tool") }),
  fc.jsonValue(),
);

/** Frames that follow the grammar, with an id that tells them apart. */
const request = fc
  .record({
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.string() },
    ),
    params: fc.option(params, { nil: undefined }),
  })
  .map((frame) => ({ kind: "request" as const, frame }));

/** The same, damaged: something else at a random place. */
const damaged = fc
  .tuple(request, fc.nat({ max: 200 }), fc.nat({ max: 20 }), fc.string({ maxLength: 5 }))
  .map(([{ frame }, at, length, put]) => {
    const text = JSON.stringify({ id: "damaged", ...frame });
    return { kind: "damaged" as const, text: text.slice(0, at) + put + text.slice(at + length) };
  });
const foreign = fc.oneof(
  fc.string().map((text) => ({ kind: "damaged" as const, text })),
  fc.json().map((text) => ({ kind: "damaged" as const, text })),
  fc
    .record({ id: fc.string(), result: fc.jsonValue() })
    .map((frame) => ({ kind: "damaged" as const, text: JSON.stringify(frame) })),
);
const frames = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: request },
    { weight: 3, arbitrary: damaged },
    { weight: 1, arbitrary: foreign },
  ),
  { minLength: 20, maxLength: 60 },
);

/** Milliseconds that the gateway's thread may work in one go. */
const LONGEST_HOLD = 2000;
/** Milliseconds after which a batch counts as never answered. */
const HUNG = 60_000;

/** How long a thread works before its timers get their turn, in its own time: what other processes take does not count. */
class LongestHold {
  #longest = 0;
  #last = LongestHold.#used();
  readonly #timer = setInterval(() => this.#look(), 10);

  static #used(): number {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  }

  #look(): void {
    const now = LongestHold.#used();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  /** Milliseconds. */
  end(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#longest;
  }
}

test(
  "whatever comes, every request is answered exactly once and the gateway goes on",
  { timeout: 600_000 },
  async () => {
    const models = scriptedModelWith({
      otherwise: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('"tool"') ? [callTool("look")] : [say("ok")],
    });
    await using stage = await GatewayStage.open(models, { toolsets: toolsOf(testTool("look")) });
    const keeper = await stage.client();
    await keeper.call("session.create", { session_id: "s1" });
    await keeper.call("session.create", { session_id: "s2" });
    const hold = new LongestHold();
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(frames, async (batch) => {
        const client = await stage.client();
        const asked = new Map<string, string>();
        for (const [index, entry] of batch.entries()) {
          sent += 1;
          if (entry.kind === "damaged") {
            client.send(entry.text === '"' ? " " : entry.text);
            continue;
          }
          const id = `f${index}`;
          asked.set(id, entry.frame.method);
          client.send({ jsonrpc: "2.0", id, ...entry.frame });
        }
        const answers = (id: string) =>
          client.frames.filter((frame) => frame["id"] === id && !("method" in frame));
        await client.frame(() => [...asked.keys()].every((id) => answers(id).length > 0));
        expect(await client.call("gateway.ping")).toMatchObject({ ok: true });
        for (const [id, method] of asked) {
          const [answer, ...more] = answers(id);
          expect(more).toEqual([]);
          expect(Object.keys(answer ?? {}).toSorted()).toEqual(
            ["id", "jsonrpc", "result" in (answer ?? {}) ? "result" : "error"].toSorted(),
          );
          if (answer !== undefined && "result" in answer)
            expect(resultFault(method, answer["result"])).toBeUndefined();
          // An error that nobody foresaw is a defect.
          expect(answer).not.toMatchObject({ error: { code: -32_603 } });
        }
        client.disconnect();
      }),
      // All batches share one gateway: a smaller one would not fail for the reason that this one does.
      { seed, numRuns: times(3200), endOnFailure: true, timeout: HUNG },
    );
    const held = hold.end();
    console.log(`${sent} frames, event loop held at most ${Math.round(held)} ms`);
    expect(held).toBeLessThan(LONGEST_HOLD);
    expect(stage.gateway.connections).toBe(1);
    // Whatever was begun comes to an end by itself.
    await untilTrue(() => stage.host.live().every(({ state }) => state.turn === undefined));
  },
);
