import { expect, test } from "vitest";
import type { Account } from "../../../src/chat/index.ts";
import { keepConnected } from "../../../src/chat/connection/connection.ts";
import { slackChannel } from "../../../src/chat/slack/channel.ts";
import { type Clock, systemClock } from "../../../src/core/index.ts";
import { portsTo } from "../kit/channel-ports.ts";
import { FakeSlack } from "./fake-slack.ts";

const SILENCE_MS = 600_000;

/** Keeps a connection to a fake until it was waited for so often; gives the waits. */
async function waitsWith(
  fake: FakeSlack,
  /** `step`: milliseconds that pass from one look at the clock to the next. */
  { most, step }: { readonly most: number; readonly step: number },
): Promise<readonly number[]> {
  const life = new AbortController();
  const waits: number[] = [];
  let elapsed = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => (elapsed += step),
    after(ms, run) {
      if (ms !== SILENCE_MS) {
        waits.push(ms);
        if (waits.length === most) life.abort();
        queueMicrotask(run);
      }
      return () => undefined;
    },
  };
  // One that does not wait goes on for ever.
  void fake.history.until(() => fake.connections > most).then(() => life.abort());
  const account: Account = { ...fake.account, mode: "connection", extra: {} };
  const channel = slackChannel(account, { ...portsTo(account.baseUrl), clock });
  await keepConnected(
    {
      clock,
      random: () => 1,
      silenceMs: SILENCE_MS,
      async hold({ stands, alive }, signal) {
        await channel.connect([], signal);
        stands();
        const nothing = { take: () => Promise.resolve(), undelivered: () => Promise.resolve() };
        await channel.receive?.({ ...nothing, admits: () => Promise.resolve(true), alive }, signal);
      },
      changed: () => undefined,
    },
    life.signal,
  );
  return waits;
}

test.each(["refresh_requested", "warning", "too_many_websockets"])(
  "connections that end with %s as soon as they are greeted are waited for longer and longer",
  async (reason) => {
    await using fake = await FakeSlack.start();
    fake.endsAtOnce = reason;
    const waits = await waitsWith(fake, { most: 8, step: 0 });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(fake.connections).toBe(8);
  },
);

test("where there are too many connections, another one is waited for also after a long life", async () => {
  await using fake = await FakeSlack.start();
  fake.endsAtOnce = "too_many_websockets";
  expect(await waitsWith(fake, { most: 2, step: 3_600_000 })).toEqual([1000, 1000]);
  expect(fake.connections).toBe(2);
});
