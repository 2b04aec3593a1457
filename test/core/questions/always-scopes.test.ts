import { describe, expect, test } from "vitest";
import type { Permit } from "../../../src/core/index.ts";
import { isCovered, rulesOf, scopesFor } from "../../../src/core/questions/approvals.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, until } from "../../kit/test-host.ts";

const ask = (facts: Partial<Extract<Permit, { verdict: "ask" }>> = {}) => ({
  verdict: "ask" as const,
  harmless: false,
  command: "git add a && git commit -m x",
  description: "",
  patterns: ["git add *", "git commit *"],
  parts: [
    ["git add *", "git add a"],
    ["git commit *", "git commit -m x"],
  ],
  folder: "/work/app/src",
  allowPermanent: true,
  ...facts,
});

describe("what an answer for ever may cover", () => {
  test("this call before its kind, and the workspace before everywhere", () => {
    expect(scopesFor(ask(), "/work/app")).toEqual([
      { id: "1", folder: "/work/app", rules: ["in:/work/app:git add a", "in:/work/app:git commit -m x"] },
      { id: "2", folder: "/work/app", rules: ["in:/work/app:git add *", "in:/work/app:git commit *"] },
      { id: "3", rules: ["git add a", "git commit -m x"] },
      { id: "4", rules: ["git add *", "git commit *"] },
    ]);
  });

  test("a command that runs outside the workspace is offered where it runs", () => {
    expect(scopesFor(ask({ folder: "/elsewhere" }), "/work/app")?.[0]?.folder).toBe("/elsewhere");
  });

  test("without a choice between two there is none: a rule that names its place, one that is not kept", () => {
    expect(
      scopesFor(ask({ patterns: ["edit:/work/**"], parts: [["edit:/work/**"]] }), "/work"),
    ).toBeUndefined();
    expect(scopesFor(ask({ allowPermanent: false }), "/work")).toBeUndefined();
    expect(scopesFor(ask({ patterns: [], parts: [] }), "/work")).toBeUndefined();
    expect(scopesFor(ask({ patterns: ["make"], parts: [["make"]], folder: "/a:b" }), "/a:b")).toBeUndefined();
  });

  test.each([
    [["git add *", "git commit *"], true],
    [["git add a", "git commit -m x"], true],
    [["git add a", "git commit *"], true],
    [["in:/work/app:git add a", "in:/work:git commit *"], true],
    [["git add *"], false],
    [["in:/work/apple:git add *", "git commit *"], false],
    [["in:/work/app/src/deep:git add *", "git commit *"], false],
    [["git add b", "git commit *"], false],
    [["in:/work/app:in:/work/app:git add *", "git commit *"], false],
    [["in:git add *", "git commit *"], false],
    [[], false],
  ])("%j cover it: %s", (rules, covered) => {
    expect(isCovered(ask(), rules)).toBe(covered);
  });

  test("nothing covers what is asked every time", () => {
    expect(isCovered({ patterns: [], parts: [], folder: "/work" }, ["", "*", "in:/work:"])).toBe(false);
  });

  test("an answer without a scope leaves the patterns behind", () => {
    const scopes = scopesFor(ask(), "/work/app") ?? [];
    expect(rulesOf({ patterns: ["git add *"], scopes }, undefined)).toEqual(["git add *"]);
    expect(rulesOf({ patterns: ["git add *"], scopes }, "3")).toEqual(["git add a", "git commit -m x"]);
  });
});

test("a scope that was chosen is kept and holds; one that was not offered is no answer", async () => {
  const kept: string[] = [];
  const model = scriptedModel([callTool("change")], [callTool("change")], [say("done")]);
  await using host = await hostWith(model, {
    toolsets: toolsOf(testTool("change", { effect: "once" })),
    rememberPatterns: async (patterns) => void kept.push(...patterns),
  });
  const session = await host.open({ cwd: "/work" });
  const turn = session.submit({ text: "go" });
  const { requestId, scopes = [] } = await until(turn, "approval.request");
  expect(scopes).toEqual([
    { id: "1", folder: "/work", rules: ["in:/work:tool:change"] },
    { id: "2", rules: ["tool:change"] },
  ]);
  await expect(session.answer(requestId, { choice: "always", scope: "7" })).rejects.toMatchObject({
    code: "answer_invalid",
  });
  await session.answer(requestId, { choice: "always", scope: "1" });
  expect((await turn.result).text).toBe("done");
  expect(kept).toEqual(["in:/work:tool:change"]);
  expect(session.state.allowed).toEqual(["in:/work:tool:change"]);
});
