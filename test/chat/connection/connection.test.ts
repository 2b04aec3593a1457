import { expect, test } from "vitest";
import { connectorStatus } from "../../../src/chat/index.ts";
import { keepConnected } from "../../../src/chat/connection/connection.ts";
import { type Clock, systemClock } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { startChat } from "../kit/chat-process.ts";
import { echoModel } from "../kit/echo-model.ts";
import { platformNamed } from "../kit/fake-platform.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

test("a connection that only its owner can mend is not tried again", async () => {
  const { signal } = new AbortController();
  const states: string[] = [];
  const kept = keepConnected(
    {
      clock: systemClock,
      random: () => 0,
      silenceMs: 1000,
      hold: () => Promise.reject(new HostError("config_invalid", "The token is not valid.")),
      changed: (state) => void states.push(state),
    },
    signal,
  );
  await expect(kept).rejects.toThrow("The token is not valid.");
  expect(states).toEqual(["connecting"]);
});

test("the waits between connections grow to a minute, also when each is let in, until something is heard through one", async () => {
  const life = new AbortController();
  const silenceMs = 600_000;
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, run) {
      if (ms !== silenceMs) {
        waits.push(ms);
        if (waits.length === 10) life.abort();
        queueMicrotask(run);
      }
      return () => undefined;
    },
  };
  await keepConnected(
    {
      clock,
      random: () => 1,
      silenceMs,
      hold({ stands, alive }) {
        stands();
        if (waits.length >= 8) alive();
        return Promise.reject(new HostError("fetch_failed", "It was cut."));
      },
      changed: () => undefined,
    },
    life.signal,
  );
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 1000, 1000]);
});

test("a process that waits for the connection of another leaves the row of it alone", async () => {
  await using fake = await FakeTelegram.start();
  const options = { platform: platformNamed("telegram"), account: fake.account, models: echoModel() };
  await using first = await startChat(options);
  await fake.history.until(() => fake.calls.includes("getUpdates"));
  {
    await using second = await startChat({ ...options, store: first.store });
    await expect.poll(() => second.states).toEqual(["standby"]);
  }
  expect((await connectorStatus(first.store.records, "telegram"))?.state).toBe("connected");
});
