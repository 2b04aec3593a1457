import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, type Models, type Policy } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { fail, say, scriptedModel, type ScriptedModel, used } from "../../kit/scripted-model.ts";
import { hostWith, until } from "../../kit/test-host.ts";

const noMoney = new HostError("provider_quota", "No credit is left.");

/** Scripted models of which others stand in for the session's own, in the order of their names. */
function withStandIns(model: ScriptedModel, names: readonly string[]): Models {
  const known = new Map<string, ReturnType<Models["resolve"]>>();
  const resolve: Models["resolve"] = (ref) => {
    const name = ref.model ?? "script";
    const made = known.get(name) ?? model.resolve({ ...ref, model: name });
    known.set(name, made);
    return made;
  };
  return {
    ...model,
    resolve,
    fallback: (failed) =>
      names.map((name) => resolve({ model: name })).find((each) => !failed.includes(each)),
  };
}

describe("a model that fails", () => {
  test("is stood in for by the next one, for the rest of the turn, and the log says why", async () => {
    const model = scriptedModel([fail(noMoney)], [fail(noMoney)], [say("here")], [say("again")]);
    await using host = await hostWith(withStandIns(model, ["second", "third"]));
    const session = await host.open();
    const turn = session.submit({ text: "a" });
    expect(await until(turn, "notice")).toMatchObject({
      level: "warn",
      kind: "model.fallback",
      text: "scripted:script failed, scripted:second stands in. No credit is left.",
    });
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "here" });
    const models: string[] = [];
    await session.submit({ text: "b" }).result;
    for await (const event of session.events({ after: 0, follow: false }))
      if (event.type === "reply.complete") models.push(event.model);
    // The next turn begins with the session's own model.
    expect(models).toEqual(["third", "script"]);
  });

  test("with nobody left to stand in fails the turn with its own error", async () => {
    const model = scriptedModel([fail(noMoney)], [fail(new HostError("provider_auth", "Wrong key."))]);
    await using host = await hostWith(withStandIns(model, ["second"]));
    const session = await host.open();
    expect(await session.submit({ text: "a" }).result).toMatchObject({
      outcome: "failed",
      error: { code: "provider_auth" },
    });
  });

  test("is not stood in for when the request is what is wrong, or once text was shown", async () => {
    const model = scriptedModel(
      [fail(new HostError("provider_bad_request", "Unknown field."))],
      [say("half"), fail(noMoney)],
    );
    await using host = await hostWith(withStandIns(model, ["second"]));
    const session = await host.open();
    for (const code of ["provider_bad_request", "provider_quota"])
      expect(await session.submit({ text: "a" }).result).toMatchObject({
        outcome: "failed",
        error: { code },
      });
  });
});

test("a failed call is not made again when there were too many of these lately", async () => {
  const model = scriptedModel([fail(new HostError("provider_overloaded", "Busy."))]);
  const models: Models = {
    ...model,
    resolve: (ref) => ({ ...model.resolve(ref), mayRetry: () => false }),
  };
  await using host = await hostWith(models);
  const session = await host.open();
  expect(await session.submit({ text: "a" }).result).toMatchObject({
    error: { code: "provider_overloaded" },
  });
  expect(model.requests).toHaveLength(1);
});

test("a wait of the model's is news, and no part of the reply", async () => {
  const model = scriptedModel([{ type: "waiting", text: "a pause" }, say("here")]);
  await using host = await hostWith(model);
  const session = await host.open();
  const turn = session.submit({ text: "a" });
  expect(await until(turn, "status.update")).toMatchObject({ kind: "rate_limit", text: "a pause" });
  expect(await turn.result).toMatchObject({ text: "here" });
});

describe("a session's budget", () => {
  const policyWith = (limits: Partial<Policy["limits"]>): Policy => ({
    ...DEFAULT_POLICY,
    limits: { ...DEFAULT_POLICY.limits, ...limits },
  });

  test("of tokens ends a turn before the call after the one that used it up, and a raised one goes on", async () => {
    let policy = policyWith({ sessionTokens: 1000 });
    const model = scriptedModel([used(900, 99), say("one")], [used(10, 10), say("two")], [say("three")]);
    await using host = await hostWith(model, { policy: () => policy });
    const session = await host.open();
    for (const text of ["one", "two"])
      expect(await session.submit({ text: "go" }).result).toMatchObject({ outcome: "completed", text });
    expect(await session.submit({ text: "go" }).result).toMatchObject({
      outcome: "failed",
      error: { code: "budget_exceeded", details: { subject: "limits.session_tokens" } },
    });
    expect(model.requests).toHaveLength(2);
    policy = policyWith({ sessionTokens: 2000 });
    expect(await session.submit({ text: "go on" }).result).toMatchObject({ text: "three" });
  });

  test("of money counts where prices are known, and what came from the cache costs no tokens", async () => {
    const cached = { input: 5000, output: 1, reasoning: 0, cacheRead: 5000, cacheWrite: 0 };
    const model = scriptedModel([{ type: "usage", usage: cached }, say("one")]);
    const models: Models = { ...model, price: () => 0.5 };
    await using host = await hostWith(models, {
      policy: policyWith({ sessionCost: 0.5, sessionTokens: 100 }),
    });
    const session = await host.open();
    expect(await session.submit({ text: "go" }).result).toMatchObject({ outcome: "completed" });
    const { error } = await session.submit({ text: "go" }).result;
    expect(error?.message).toContain("$0.50 of its $0.50");
  });
});
