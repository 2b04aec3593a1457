import type { AgentContext, TerminalHandle } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { clientTerminals } from "../../src/acp/v1/client-environment.ts";
import { handClock } from "../kit/clock.ts";

const REQUEST = { callId: "c1", command: "sh", args: ["-c", "make"], cwd: "/", env: {}, outputLimit: 1000 };

test("a command that a client is slow to begin is not run twice, and its terminal is ended when it comes", async () => {
  const clock = handClock();
  const made = Promise.withResolvers<TerminalHandle>();
  const released = Promise.withResolvers<void>();
  let asked = 0;
  // As much of a client as is asked here.
  const client = { createTerminal: () => ((asked += 1), made.promise) } as unknown as AgentContext;
  const terminals = clientTerminals("s1", { client, clock, started: () => undefined });
  const { signal } = new AbortController();
  const started = terminals.start({ ...REQUEST, signal });
  clock.advance(5000);
  await expect(started).rejects.toMatchObject({
    code: "tool_failed",
    message: expect.stringContaining("look what it did before you repeat it") as string,
  });
  const handle = { id: "t1", release: () => Promise.resolve(released.resolve()) };
  made.resolve(handle as unknown as TerminalHandle);
  await released.promise;
  // Who did not answer once is not waited for again.
  expect(await terminals.start({ ...REQUEST, signal })).toBeUndefined();
  expect(asked).toBe(1);
});
