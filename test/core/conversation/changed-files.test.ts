import { expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

test("what is taken back names the files that tools changed, and only in those turns", async () => {
  const paths = ["/w/first.ts", "/w/second.ts", "/w/second.ts", "/w/failed.ts"];
  let calls = 0;
  const change = {
    ...testTool("change"),
    run: async function* run() {
      const path = paths[calls] ?? "";
      calls += 1;
      const outcome = path.includes("failed") ? ("error" as const) : ("ok" as const);
      return { outcome, content: [{ type: "diff" as const, path, oldText: null, newText: "x" }] };
    },
  };
  const model = scriptedModel(
    [callTool("change")],
    [say("one")],
    [callTool("change"), callTool("change"), callTool("change")],
    [say("two")],
  );
  await using host = await hostWith(model, { toolsets: toolsOf(change) });
  const session = await host.open();
  await session.submit({ text: "first" }).result;
  await session.submit({ text: "second" }).result;
  expect(calls).toBe(4);
  await session.undo();
  await session.undo();
  const undone = (await allEvents(session, 3)).filter(({ type }) => type === "history.undo");
  expect(undone).toMatchObject([{ files: ["/w/second.ts"] }, { files: ["/w/first.ts"] }]);
});
