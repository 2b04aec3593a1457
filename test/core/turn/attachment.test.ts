import { expect, test } from "vitest";
import type { ClientFiles } from "../../../src/core/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

const files = (text: string): ClientFiles => ({ readText: () => Promise.resolve(text) });

test("a tool gets the files of the newest attachment, and none once all are gone", async () => {
  const seen: (string | undefined)[] = [];
  const look = testTool("look", {
    run: async (_input, context) => {
      const text = await context.files?.readText?.("/work/a", context.signal);
      seen.push(text);
      return text ?? "none";
    },
  });
  const model = scriptedModel(...[1, 2, 3].flatMap(() => [[callTool("look")], [say("ok")]]));
  await using host = await hostWith(model, { toolsets: toolsOf(look) });
  const session = await host.open();
  const leaveFirst = session.attach({ files: files("first") });
  const leaveSecond = session.attach({ files: files("second") });
  await session.submit({ text: "look" }).result;
  leaveSecond();
  await session.submit({ text: "look" }).result;
  leaveFirst();
  await session.submit({ text: "look" }).result;
  expect(seen).toEqual(["second", "first", undefined]);
});

test("tools of an attachment are this session's alone, and join while it lasts", async () => {
  const model = scriptedModel([callTool("extra")], [say("used")], [callTool("extra")], [say("missing")]);
  await using host = await hostWith(model);
  const [session, other] = [await host.open(), await host.open()];
  let toolsets = toolsOf();
  const leave = session.attach({ toolsets: () => toolsets });
  toolsets = [{ name: "mcp:x", label: "x", description: "x", tools: [testTool("extra")], configured: true }];
  expect((await session.submit({ text: "go" }).result).text).toBe("used");
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["extra"]);
  await other.submit({ text: "go" }).result;
  expect(model.requests[2]?.tools).toEqual([]);
  leave();
  await session.submit({ text: "go" }).result;
  expect(model.requests.at(-1)?.tools).toEqual([]);
});
