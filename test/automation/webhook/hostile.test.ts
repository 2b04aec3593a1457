import { expect, test } from "vitest";
import { random, times } from "../../kit/counts.ts";
import { say, scriptedModelWith } from "../../kit/scripted-model.ts";
import { sign, webhookStage } from "./stage.ts";

test("hostile bodies are refused or taken, never slow, and change nothing of the process", async () => {
  const model = scriptedModelWith({ otherwise: () => [say("ok")] });
  await using stage = await webhookStage(model, { extra: { routes: { a: { prompt: "{a.b} {__raw__}" } } } });
  const large = 1_000_000;
  const bodies = [
    "[".repeat(large),
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
    `{"__proto__":{"polluted":true},"a":{"b":1}}`,
    `{"constructor":{"prototype":{"polluted":true}}}`,
    `{"a":{"b":"${"\\u0000".repeat(100_000)}"}}`,
    JSON.stringify({ a: { b: Array.from({ length: 100_000 }, (_, index) => index) } }),
    `{"a":{"b":"${"{__raw__}".repeat(50_000)}"}}`,
    `{"a":1e999999,"b":-0}`,
  ];
  for (const body of bodies) {
    const { status } = await stage.post("/webhooks/a", body);
    expect([202, 400]).toContain(status);
  }
  await stage.worker.idle();
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  for (const request of model.seen) expect(request.join("").length).toBeLessThan(2_000_000);
});

const WORDS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "a",
  "b",
  "event_type",
  "",
  "\u0000",
  "\ud800",
  "{__raw__}",
];
const SCALARS = [
  "1e999",
  "-0",
  "null",
  "true",
  '"\\ud83d"',
  '"\\u0000"',
  "123456789012345678901234567890",
  '"{a.b}"',
  "[]",
  "{}",
];

/** Writes one hostile body after the other: mostly JSON, nested, repeated, torn, or with bytes turned. */
function hostile(dice: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(dice() * list.length)] ?? "";
  const value = (depth: number): string => {
    const chance = dice();
    if (depth > 6 || chance < 0.3) return pick(SCALARS);
    const inner = Array.from({ length: Math.floor(dice() * 5) }, () => value(depth + 1));
    if (chance < 0.5) return `[${inner.join(",")}]`;
    if (chance < 0.55) return `${"[".repeat(60 + Math.floor(dice() * 10))}1`;
    return `{${inner.map((each) => `${JSON.stringify(pick(WORDS))}:${each}`).join(",")}}`;
  };
  const text = value(0);
  const chance = dice();
  const at = Math.floor(dice() * text.length);
  if (chance < 0.15) return text.slice(0, at);
  if (chance < 0.3)
    return `${text.slice(0, at)}${String.fromCharCode(Math.floor(dice() * 256))}${text.slice(at + 1)}`;
  if (chance < 0.35) return `payload=${encodeURIComponent(text)}&payload=%zz`;
  return chance < 0.4 ? text.repeat(20) : text;
}

test("five thousand hostile bodies are refused or read, each with an answer of its own", async () => {
  const dice = random(11);
  await using stage = await webhookStage(scriptedModelWith({ otherwise: () => [say("ok")] }), {
    extra: {
      routes: {
        quiet: { events: ["never"], prompt: "{a.b} {__raw__}" },
        loud: { prompt: "{a.b} {__raw__}" },
      },
    },
  });
  for (let n = 0; n < times(5000); n += 1) {
    const body = hostile(dice);
    const proven = dice() < 0.9;
    const route = n % 25 === 0 ? "loud" : "quiet";
    const status = await stage.statusOf(`/webhooks/${route}`, body, {
      ...sign(body, proven ? undefined : "another-secret-0123456789"),
      "content-type": dice() < 0.9 ? "application/json" : "application/x-www-form-urlencoded",
    });
    expect([body, proven ? [200, 202, 400].includes(status) : status === 401]).toEqual([body, true]);
  }
  await stage.worker.idle();
  expect(stage.reported).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
