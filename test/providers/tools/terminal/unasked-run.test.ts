import { appendFile, chmod, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { ToolContext } from "../../../../src/core/ports/tool.ts";
import { repository } from "../command-policy/unasked-stage.ts";
import { terminalStage, type TerminalStage } from "./terminal-stage.ts";

/** A call as the core makes it: the input that was judged is the one that runs. */
async function call(
  stage: TerminalStage,
  input: object,
  { between, ...context }: Partial<ToolContext> & { readonly between?: () => Promise<void> } = {},
) {
  const { tool } = stage;
  const parsed = tool.parse(input);
  const here = { ...stage.stage.context, ...context };
  const permit = await tool.permit?.(parsed, here);
  await between?.();
  const running = tool.run(parsed, here);
  let step = await running.next();
  while (step.done !== true) step = await running.next();
  const text = step.value.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { permit, text };
}

/** A repository whose settings start a trap. */
async function trapped(stage: TerminalStage): Promise<void> {
  await repository(stage.dir.at("in"));
  await stage.dir.write({ "in/.git/trap": `#!/bin/sh\ntouch ${stage.dir.at("ran")}\n` });
  await chmod(stage.dir.at("in/.git/trap"), 0o755);
  await appendFile(stage.dir.at("in/.git/config"), `[core]\n\tfsmonitor = ${stage.dir.at("in/.git/trap")}\n`);
}

test("what nobody was asked about runs in the form that was judged", async () => {
  await using stage = await terminalStage();
  await trapped(stage);
  const { permit, text } = await call(stage, { command: "git status --short && pwd" });
  expect(permit).toMatchObject({ verdict: "allow" });
  expect(text).toContain(stage.dir.at("in"));
  expect(existsSync(stage.dir.at("ran"))).toBe(false);
});

test("output that is lost does not lose how a command ended, in shells that know no &>", async () => {
  await using stage = await terminalStage();
  await stage.dir.write({ "in/a.txt": "needle\n" });
  for (const [word, said] of [
    ["needle", "found"],
    ["nothing", "missing"],
  ] as const) {
    const command = `grep ${word} a.txt nowhere &>/dev/null && echo found || echo missing; grep ${word} a.txt &>/dev/null && echo found || echo missing`;
    const { permit, text } = await call(stage, { command });
    expect(permit).toMatchObject({ verdict: "allow" });
    expect(text.match(/found|missing|No such file|needle/g), text).toEqual(["missing", said]);
  }
});

test("two calls with one id do not get each other's line", async () => {
  await using stage = await terminalStage();
  await trapped(stage);
  const one = call(stage, { command: "git status" });
  const other = call(stage, { command: "git log --oneline" });
  expect((await one).text).toContain("On branch main");
  expect((await other).text).toContain("first");
  expect(existsSync(stage.dir.at("ran"))).toBe(false);
});

test("what became something else since it was judged does not run", async () => {
  await using stage = await terminalStage();
  await stage.dir.write({ "out/secret": "canary\n" });
  const run = call(
    stage,
    { command: "cat later" },
    {
      between: () => symlink(stage.dir.at("out/secret"), stage.dir.at("in/later")),
    },
  );
  await expect(run).rejects.toMatchObject({
    code: "tool_failed",
    message: expect.stringContaining("try again"),
  });
});

test("what nobody was asked about does not run at the client, which may change its words and variables", async () => {
  await using stage = await terminalStage();
  const started: string[] = [];
  const terminals = {
    start: (request: { readonly command: string }) => {
      started.push(request.command);
      return Promise.resolve(undefined);
    },
  };
  expect((await call(stage, { command: "pwd" }, { terminals })).text).toContain(stage.dir.at("in"));
  expect(started).toEqual([]);
  await call(stage, { command: "sh -c pwd" }, { terminals });
  expect(started).toHaveLength(1);
});

test("what goes on in the background is asked about", async () => {
  await using stage = await terminalStage();
  const background = await stage.permit("terminal", { command: "ls", background: true });
  expect(background).toMatchObject({ verdict: "ask" });
});
