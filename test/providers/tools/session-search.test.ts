import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { sessionSearchTool } from "../../../src/providers/tools/session-search.ts";
import { turnStart } from "../../kit/log-pen.ts";
import { toolStage } from "../../kit/tool-context.ts";
import { sessionWriter } from "../store/contract/search.ts";

test("session_search finds what was said in the owner's other sessions, and only there", async () => {
  await using store = memoryStore();
  const write = sessionWriter(store);
  const said = [turnStart("We decided for the blue heron as a mascot.")];
  await write("present", said, { platform: "tui" });
  await write("earlier", said, { platform: "cli" });
  await write("chat", said, { platform: "chat", source: "telegram" });
  await write("hook", said, { platform: "webhook" });
  const tool = sessionSearchTool(store);
  const stage = toolStage({ cwd: "/work", sessionId: "present" });
  const { text, result } = await stage.run(tool, { query: "heron mascot" });
  expect(text).toMatch(
    /^We decided for the blue heron as a mascot\. \(earlier, .*, in \/work\)\nThe user said: We/,
  );
  expect(text).not.toMatch(/present|chat|hook/);
  expect(result).toMatchObject({ outcome: "ok", summary: "1 found" });
  expect((await stage.run(tool, { query: "albatross" })).text).toBe("Nothing was found.");
  expect((await stage.run(tool, { query: "?!" })).result.outcome).toBe("error");
  const offered = (["tui", "chat", "webhook", "api_server"] as const).map((platform) =>
    tool.offered?.({ platform, source: "", depth: 0 }),
  );
  expect(offered).toEqual([true, false, false, false]);
});
