import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../../src/shared/errors/host-error.ts";
import type { ModelPart } from "../../../../src/core/ports/model.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";
import { callsIn, joined, modelRequest, type Outcome, outcomeOf, uncut } from "../../../kit/model-parts.ts";
import {
  BREAKS,
  callTool,
  type FaultName,
  INTRUSIONS,
  type Position,
  POSITIONS,
  reply,
  say,
  startModelServer,
  think,
} from "../../../kit/model-server/index.ts";
import type { DialectUnderTest } from "./behaviour.ts";

type Ending = ErrorCode | "finish";

/** Deadlines of hosted endpoints: the server is on this machine, so they are set. */
const READ_S = 120;
const STALE_S = 180;
const WHOLE_S = 1800;
const TAIL_S = 5;
/** Bytes that a busy machine delivers late begin a wait anew. */
const SLACK_S = 60;

const STEPS = [
  think("Let me think."),
  say("Hello", ", world", ", again"),
  callTool("read_file", { path: "a" }, { id: "c1" }),
];

function streamedEnding(name: FaultName, at: Position, { wholeFrom }: DialectUnderTest): Ending {
  if (POSITIONS.indexOf(at) >= POSITIONS.indexOf(wholeFrom)) return "finish";
  switch (name) {
    case "stall":
      return "provider_stalled";
    case "reset":
    case "half-close":
    case "cut":
    case "bad-chunk":
    case "garbage-data":
    case "truncated-json":
      return "provider_network";
    case "error-event":
      return "provider_overloaded";
    case "huge-line":
      return "provider_bad_request";
    case "noise-line":
    case "unknown-event":
    case "comments":
    case "invalid-utf8":
    case "trickle":
      return "finish";
  }
}

function wholeEnding(name: FaultName, at: Position): Ending {
  if (name === "trickle") return "finish";
  if (name === "stall") return "provider_stalled";
  return name === "cut" && at === "after-usage" ? "finish" : "provider_network";
}

/**
 * Turns the hands until the call is over, once the server holds its answer back. Returns the seconds that took.
 * Between two steps everything that is on its way arrives: both ends are in this process.
 */
async function turnUntil(over: Promise<unknown>, clock: HandClock, most: number): Promise<number> {
  const state = { over: false };
  void over.then(() => (state.over = true));
  for (let turned = 0; ; turned += 1) {
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    if (state.over || turned > most) return turned;
    clock.advance(1000);
  }
}

/** Every fault at every position of an answer ends its call in exactly one way, in time, after one request. */
export function describeFaults(dialect: DialectUnderTest): void {
  const run = async (fault: { readonly name: FaultName; readonly at: Position }, block: object) => {
    await using server = await startModelServer();
    const clock = handClock();
    const env = {
      ...dialect.env,
      AGENT_STREAM_READ_TIMEOUT: String(READ_S),
      AGENT_STREAM_STALE_TIMEOUT: String(STALE_S),
      AGENT_API_TIMEOUT: String(WHOLE_S),
    };
    await using models = configuredModels(
      parseModelsConfig({ ...dialect.block, ...block, base_url: server.baseUrl }),
      { env, clock },
    );
    server.script(reply(STEPS, { fault }));
    const outcome = outcomeOf(models.resolve({}).stream(modelRequest()));
    const request = await server.request(1);
    if (fault.name !== "stall")
      return { outcome: await outcome, seconds: 0, requests: server.requests.length };
    await request.stalled;
    const seconds = await turnUntil(outcome, clock, 2 * WHOLE_S);
    return { outcome: await outcome, seconds, requests: server.requests.length };
  };

  const check = (outcome: Outcome, ending: Ending): void => {
    const { parts, error } = outcome;
    const finishes = parts.filter(({ type }) => type === "finish");
    if (ending === "finish") {
      expect(error).toBeUndefined();
      expect(finishes).toEqual([parts.at(-1)]);
      expect(joined(parts)).toBe("Hello, world, again");
      expect(callsIn(parts)).toEqual([{ id: "c1", name: "read_file", input: { path: "a" } }]);
      return;
    }
    expect(error?.code).toBe(ending);
    expect(finishes).toEqual([]);
    expect("Hello, world, again".startsWith(joined(parts))).toBe(true);
    expect(uncut(parts).filter((part: ModelPart) => part.type === "call.end")).toEqual([]);
  };

  const cells = (names: readonly FaultName[]) =>
    names.flatMap((name) => POSITIONS.map((at) => ({ name, at })));

  describe(`${dialect.name}, streamed answers that go wrong`, () => {
    test.each(cells([...BREAKS, ...INTRUSIONS]))("$name $at", async ({ name, at }) => {
      const { outcome, seconds, requests } = await run({ name, at }, {});
      const ending = streamedEnding(name, at, dialect);
      check(outcome, ending);
      expect(requests).toBe(1);
      expect(seconds).toBeLessThanOrEqual((ending === "finish" ? TAIL_S : READ_S) + SLACK_S);
    });
  });

  describe(`${dialect.name}, answers in one piece that go wrong`, () => {
    test.each(cells([...BREAKS, "bad-chunk", "trickle"]))("$name $at", async ({ name, at }) => {
      const { outcome, seconds, requests } = await run({ name, at }, { stream: false });
      check(outcome, wholeEnding(name, at));
      expect(requests).toBe(1);
      expect(seconds).toBeLessThanOrEqual(WHOLE_S + SLACK_S);
    });
  });
}
