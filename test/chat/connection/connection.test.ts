import { expect, test } from "vitest";
import { keepConnected } from "../../../src/chat/connection/connection.ts";
import { systemClock } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";

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
