import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { handClock } from "../kit/clock.ts";
import { fail, gate, say, scriptedModel, type Step, used, wait } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { hostWire } from "./wire.ts";

const WAITS: Step = { type: "waiting", text: "The endpoint asked to wait 30 s." };

test.each([
  ["a notice", { session: { notices: {} } }, "notice"],
  ["a thought, where there is no place for notices", {}, "agent_thought_chunk"],
] as const)(
  "that the endpoint makes everybody wait is shown while it lasts, as %s",
  async (...[, capabilities, kind]) => {
    const hold = gate();
    await using host = await hostWith(scriptedModel([WAITS, wait(hold), say("done")]));
    const editor = new AcpEditor(hostWire(host), { capabilities });
    await using _ = editor;
    await editor.initialize();
    const sessionId = await editor.open("/work");
    const running = editor.prompt(sessionId, "hi");
    await editor.until(() => JSON.stringify(editor.of(sessionId, kind)).includes("asked to wait 30 s"));
    expect(editor.said(sessionId)).toBe("");
    hold.open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
  },
);

test("a refusal that names a time is shown with it, and the turn goes on after it", async () => {
  const clock = handClock();
  const refusal = new HostError("provider_rate_limit", "Slow down.", { details: { retryAfterMs: 30_000 } });
  await using host = await hostWith(scriptedModel([fail(refusal)], [say("done")]), { clock });
  const editor = new AcpEditor(hostWire(host));
  await using _ = editor;
  await editor.initialize();
  const sessionId = await editor.open("/work");
  const running = editor.prompt(sessionId, "hi");
  await editor.until(() =>
    JSON.stringify(editor.of(sessionId, "agent_thought_chunk")).includes("Slow down. Trying again in 30 s."),
  );
  clock.advance(30_000);
  expect(await running).toMatchObject({ stopReason: "end_turn" });
  expect(editor.said(sessionId)).toBe("done");
});

test("a title is told when it is new, not after each reply", async () => {
  const reply = [say("ok"), used(10, 5)];
  await using host = await hostWith(scriptedModel(reply, reply, reply));
  const editor = new AcpEditor(hostWire(host));
  await using _ = editor;
  await editor.initialize();
  const sessionId = await editor.open("/work");
  for (const text of ["first words", "second", "third"]) await editor.prompt(sessionId, text);
  const titles = editor.of(sessionId, "session_info_update").map(({ title }) => title);
  expect(titles.filter((title) => title === "first words")).toHaveLength(1);
  expect(titles.length).toBeLessThanOrEqual(2);
});

test("a title is told only when there is one, and taken back when it is taken away", async () => {
  await using host = await hostWith(scriptedModel([say("ok"), used(10, 5)]), {
    policy: () => ({ ...DEFAULT_POLICY, autoTitle: false }),
  });
  const editor = new AcpEditor(hostWire(host));
  await using _ = editor;
  await editor.initialize();
  const sessionId = await editor.open("/work");
  await editor.prompt(sessionId, "hi");
  const infos = () => editor.of(sessionId, "session_info_update");
  await editor.until(() => infos().length === 1);
  expect(infos()[0]).not.toHaveProperty("title");
  const session = await host.session(sessionId);
  await session.setTitle("A name");
  await editor.until(() => infos().at(-1)?.title === "A name");
  await session.clearTitle();
  await editor.until(() => infos().length === 3);
  expect(infos()[2]).toMatchObject({ title: null });
});
