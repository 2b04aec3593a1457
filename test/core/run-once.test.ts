import { expect, test } from "vitest";
import { runOnce } from "../../src/core/run-once.ts";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { hostWith, untilTrue } from "../kit/test-host.ts";

test("work that runs once is not over when somebody takes back what they asked in its session", async () => {
  const hold = gate();
  await using host = await hostWith(scriptedModel([say("done"), wait(hold)]));
  const running = runOnce(host, {
    open: { id: "work", platform: "job", cwd: "" },
    submission: { text: "do it" },
    signal: new AbortController().signal,
  });
  await hold.reached;
  const session = await host.session("work");
  const more = session.submit({ text: "and this" });
  await more.accepted;
  await session.stop(more.promptId);
  expect(await more.result).toMatchObject({ outcome: "cancelled" });
  await untilTrue(() => session.state.queue.length === 0);
  hold.open();
  expect(await running).toMatchObject({ outcome: "completed", text: "done" });
});

test("work that was stopped is cancelled, whoever asks for it again", async () => {
  const hold = gate();
  await using host = await hostWith(scriptedModel([say("first"), wait(hold)]));
  const session = await host.open({ id: "work" });
  const first = session.submit({ text: "in the way" });
  await hold.reached;
  await session.stop(first.promptId);
  hold.open();
  expect((await first.result).outcome).toBe("cancelled");
  const { signal } = new AbortController();
  const ended = await runOnce(host, { open: { id: "work" }, submission: { text: "do it" }, signal });
  expect(ended.outcome).toBe("cancelled");
});
