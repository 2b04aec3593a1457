import { expect, test } from "vitest";
import { ReceivedCalls } from "../../../src/automation/webhook/index.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { randomHex } from "../../../src/shared/crypto/random-hex.ts";
import { handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";

test("calls are kept without secrets, with the beginning of a body, and no more than a thousand", async () => {
  const clock = handClock();
  await using store = memoryStore({ clock, random: random(1) });
  const redact = (text: string): string => text.replaceAll("hidden", "…");
  const calls = new ReceivedCalls({ records: store.records, clock, hex: randomHex, redact });
  const note = (body: string): Promise<void> =>
    calls.note({ route: "r", fate: "accepted", event: "push" }, Buffer.from(body));
  for (let nth = 0; nth < 1049; nth += 1) {
    clock.advance(1);
    await note(`call ${nth}`);
  }
  await note(`hidden${"x".repeat(20_000)}`);
  const { values } = await calls.page({ limit: 5000 });
  expect(values.length).toBe(1000);
  expect(values[0]).toMatchObject({ isCut: true, body: expect.stringMatching(/^…x{16378}$/) });
  expect(values.at(-1)?.body).toBe("call 50");
  for (let nth = 0; nth < 50; nth += 1) await calls.noteRefused("r".repeat(200), "Invalid signature");
  const refused = await calls.page({ limit: 5000 }, ({ fate }) => fate === "refused");
  expect(refused.values.map(({ route, body }) => [route.length, body])).toEqual(
    Array.from({ length: 30 }, () => [100, undefined]),
  );
});
