import { expect, test } from "vitest";
import { SlashCommands } from "../../../src/core/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

test("/context shows what fills the window: each part has its letter, its tokens and its share", async () => {
  const model = scriptedModel([callTool("look")], [say("A long answer. ".repeat(100))]);
  const look = testTool("look", { run: () => Promise.resolve("seen ".repeat(2000)) });
  await using host = await hostWith(model, { toolsets: toolsOf(look) });
  const session = await host.open();
  await session.submit({ text: "look" }).result;
  const context = {
    host,
    session,
    from: { surface: "test" },
    workspace: { cwd: "/", roots: ["/"] },
    signal: new AbortController().signal,
    stopProcesses: () => Promise.resolve(0),
  };
  const shown = await new SlashCommands().dispatch("/context", context);
  const text = shown.type === "done" ? shown.output : "";
  const rows = text.split("\n").filter((line) => /^ {2}[A-H·]{40}$/.test(line));
  expect(rows).toHaveLength(5);
  expect(text).toMatch(/^ {2}A System prompt +\d+ +<1 %$/m);
  expect(text).toMatch(/^ {2}E Results of tools +2,5\d\d +\d+ %$/m);
  expect(text).toMatch(/^ {2}· Free +[\d,]+ +\d+ %$/m);
  expect(rows.join("")).toMatch(/^ *A+B+C+D+E+·*/);
});

test("/init and /review send a task; what is named goes with it", async () => {
  const commands = new SlashCommands();
  await using host = await hostWith(scriptedModel());
  const context = {
    host,
    session: undefined,
    from: { surface: "test" },
    workspace: { cwd: "/", roots: ["/"] },
    signal: new AbortController().signal,
    stopProcesses: () => Promise.resolve(0),
  };
  const sent = async (line: string): Promise<string> => {
    const outcome = await commands.dispatch(line, context);
    return outcome.type === "send" ? outcome.message : outcome.type;
  };
  expect(await sent("/init")).toContain("Write an AGENTS.md for this folder");
  expect(await sent("/review")).toContain("git diff HEAD");
  expect(await sent("/review the last commit")).toMatch(/^Review the last commit\./);
  expect(await sent("/security-review")).toContain("holes in security only");
});
