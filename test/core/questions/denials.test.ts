import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { denialOf, SOMEWHERE } from "../../../src/core/questions/denials.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

const denial = (rule: string, ...names: readonly string[]) =>
  denialOf([rule], { permit: { verdict: "allow", names }, toolName: "terminal" });

describe("a rule that denies", () => {
  test.each([
    ["git push *", "git push"],
    ["git push *", "git push origin main"],
    ["git push", "git push"],
    ["git push *", `${SOMEWHERE}sudo git push origin`],
    ["git push", `${SOMEWHERE}cd x git push`],
    ["edit:/a/**", "edit:/a/b/c"],
    ["mcp:mail:*", "mcp:mail:send"],
    ["tool:terminal", "ls"],
  ])("%s forbids %s", (rule, name) => {
    expect(denial(rule, name)).toBe(rule);
  });

  test.each([
    ["git push *", "git pushall"],
    ["git push *", `${SOMEWHERE}mygit push`],
    ["git push *", `${SOMEWHERE}git pushing`],
    ["git push", "git push origin"],
    ["edit:/a/**", "edit:/ab"],
    ["mcp:mail:*", "mcp:mailer:send"],
    ["tool:term", "ls"],
    ["", "ls"],
  ])("%j leaves %s alone", (rule, name) => {
    expect(denial(rule, name)).toBeUndefined();
  });

  test("holds in every mode, also for a tool that reads only, and the model is told which rule it was", async () => {
    const ran: string[] = [];
    const run = () => Promise.resolve(String(ran.push("it")));
    const model = scriptedModel([callTool("look")], [callTool("change")], [say("ok")]);
    await using host = await hostWith(model, {
      toolsets: toolsOf(testTool("look", { run }), testTool("change", { effect: "once", run })),
      policy: {
        ...DEFAULT_POLICY,
        approvals: {
          ...DEFAULT_POLICY.approvals,
          mode: "off",
          allowed: ["tool:change"],
          denied: ["tool:look", "tool:change"],
        },
      },
    });
    await (await host.open()).submit({ text: "go" }).result;
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(
      /rule `tool:look`[\s\S]*rule `tool:change`/,
    );
  });
});
