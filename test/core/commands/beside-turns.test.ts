import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Session, SlashCommands, textPart } from "../../../src/core/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, type TestHost, toolsOf } from "../../kit/test-host.ts";

const dispatch = (host: TestHost, session: Session | undefined, text: string) =>
  new SlashCommands().dispatch(text, {
    host,
    session,
    from: { surface: "test", client: "1" },
    workspace: { cwd: "/w", roots: ["/w"] },
    signal: new AbortController().signal,
    stopProcesses: async () => 0,
  });

test("/todos clear puts the steps away, in the state and for the model", async () => {
  const todos = [{ id: "1", content: "Find it", status: "pending" as const }];
  const plan = defineTool({
    name: "plan",
    description: "Plans",
    toolset: "test",
    kind: "read",
    effect: "pure",
    input: z.looseObject({}),
    label: () => "plan",
    run: () => Promise.resolve({ outcome: "ok", content: [textPart("ok")], todos } as const),
  });
  const model = scriptedModel([callTool("plan")], [say("planned")], [say("new")]);
  await using host = await hostWith(model, { toolsets: toolsOf(plan) });
  const session = await host.open();
  await session.submit({ text: "go" }).result;
  expect(session.state.todos).toHaveLength(1);
  expect(await dispatch(host, session, "/todos clear")).toMatchObject({ output: "The steps are put away." });
  expect(session.state.todos).toEqual([]);
  expect(await dispatch(host, session, "/todos clear")).toMatchObject({ output: "There are no steps." });
  await expect(dispatch(host, session, "/todos away")).rejects.toThrow("Usage: /todos [clear]");
  await session.submit({ text: "next" }).result;
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("put the todo list away");
});

test("a rule that was allowed for a session can be taken back", async () => {
  await using host = await hostWith(scriptedModel());
  const session = await host.open({ allowed: ["make", "npm test *"] });
  await session.refresh();
  expect(await session.note("revoke", { patterns: ["make", "other"] })).toEqual({ revoked: ["make"] });
  expect(session.state.allowed).toEqual(["npm test *"]);
});
