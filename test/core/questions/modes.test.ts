import { describe, expect, test } from "vitest";
import {
  type AnyTool,
  DEFAULT_POLICY,
  type Host,
  type Session,
  type SessionMode,
} from "../../../src/core/index.ts";
import { callTool, type ScriptedModel, say, scriptedModel } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, toolsOf, until } from "../../kit/test-host.ts";

/** A tool whose calls change something; `harmless` as an edit of an ordinary file is. */
function change(name: string, harmless: boolean, ran: string[]): AnyTool {
  const tool = testTool(name, { effect: "once", run: async () => ran.push(name).toString() });
  return Object.assign(tool, {
    permit: async () => ({
      verdict: "ask" as const,
      harmless,
      command: name,
      description: name,
      patterns: [name],
      allowPermanent: true,
    }),
  });
}

/** A session with an edit, a command and a look at its disposal, in a mode; calls all three and says what happened. */
async function callAll(
  mode: SessionMode,
): Promise<{ readonly ran: readonly string[]; readonly asked: readonly string[] }> {
  const ran: string[] = [];
  const look = testTool("look", { run: async () => ran.push("look").toString() });
  const model = scriptedModel([callTool("look"), callTool("edit"), callTool("command")], [say("done")]);
  await using host = await hostWith(model, {
    toolsets: toolsOf(look, change("edit", true, ran), change("command", false, ran)),
  });
  const session = await host.open({ settings: { mode } });
  const asked: string[] = [];
  const turn = session.submit({ text: "go" });
  for await (const event of turn)
    if (event.type === "approval.request") {
      asked.push(event.toolName);
      await session.answer(event.requestId, { choice: "deny" });
    }
  return { ran, asked };
}

describe("the mode of a session", () => {
  test("says which calls ask, which run and which are refused", async () => {
    expect(await callAll("ask")).toEqual({ ran: ["look"], asked: ["edit", "command"] });
    expect(await callAll("edits")).toEqual({ ran: ["look", "edit"], asked: ["command"] });
    expect(await callAll("plan")).toEqual({ ran: ["look"], asked: [] });
    expect(await callAll("all")).toEqual({ ran: ["look", "edit", "command"], asked: [] });
  });

  test("a rule that allows a command does not count while the session plans", async () => {
    const ran: string[] = [];
    const model = scriptedModel([callTool("command")], [say("done")]);
    const { approvals } = DEFAULT_POLICY;
    await using host = await hostWith(model, {
      policy: { ...DEFAULT_POLICY, approvals: { ...approvals, mode: "off", allowed: ["command"] } },
      toolsets: toolsOf(change("command", false, ran)),
    });
    const session = await host.open({ settings: { mode: "plan" } });
    await session.submit({ text: "go" }).result;
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("plan mode, which only reads");
  });

  test("what is allowed unasked and changes something all the same is refused while the session plans", async () => {
    const ran: string[] = [];
    const note = Object.assign(
      testTool("note", { effect: "idempotent", run: async () => ran.push("note").toString() }),
      {
        permit: async () => ({ verdict: "allow" as const, changes: true as const }),
      },
    );
    const model = scriptedModel([callTool("note")], [say("done")]);
    await using host = await hostWith(model, { toolsets: toolsOf(note) });
    const session = await host.open({ settings: { mode: "plan" } });
    await session.submit({ text: "go" }).result;
    expect(ran).toEqual([]);
  });

  test("an older log's `yolo` is the mode `all`; a branch does not take it along", async () => {
    await using host = await hostWith(scriptedModel([say("x")]));
    const session = await host.open({ settings: { yolo: true } });
    expect(session.state.settings.mode).toBe("all");
    await session.submit({ text: "hi" }).result;
    const branch = await host.branch(session.id, {});
    expect(branch.state.settings.mode).toBeUndefined();
    await session.set({ yolo: false });
    expect(session.state.settings.mode).toBeUndefined();
  });
});

/** Lets a session plan until its plan is presented, and answers. */
async function present(
  host: Host,
  model: ScriptedModel,
  answer: string,
): Promise<{ readonly session: Session; readonly question: string; readonly told: string }> {
  const session = await host.open({ settings: { mode: "plan" } });
  const turn = session.submit({ text: "go" });
  const asked = await until(turn, "clarify.request");
  await session.answer(asked.requestId, { text: answer });
  await turn.result;
  return { session, question: asked.question, told: JSON.stringify(model.requests[1]?.messages.at(-1)) };
}

describe("a plan", () => {
  const script = () =>
    scriptedModel([callTool("present_plan", { plan: "1. Change a." })], [callTool("edit")], [say("done")]);

  test("is presented with its own tool, which only a session has that plans", async () => {
    const model = scriptedModel([say("a")], [say("b")]);
    await using host = await hostWith(model);
    const session = await host.open();
    await session.submit({ text: "go" }).result;
    await session.set({ mode: "plan" });
    await session.submit({ text: "go" }).result;
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names).toEqual([[], ["present_plan"]]);
    expect(model.requests.map(({ system }) => system.includes("Plan mode is on"))).toEqual([false, true]);
  });

  test("that is accepted ends plan mode, and the same turn carries it out", async () => {
    const ran: string[] = [];
    const model = script();
    await using host = await hostWith(model, { toolsets: toolsOf(change("edit", true, ran)) });
    const { session, question, told } = await present(host, model, "Yes, and change files without asking");
    expect(question).toBe("1. Change a.\n\nShall I carry out this plan?");
    expect(told).toContain("accepted the plan");
    expect(session.state.settings.mode).toBe("edits");
    expect(ran).toEqual(["edit"]);
    expect((await allEvents(session)).filter(({ type }) => type === "settings.set")).toHaveLength(1);
  });

  test("that is answered with words stays a plan, and the model gets the words", async () => {
    const ran: string[] = [];
    const model = script();
    await using host = await hostWith(model, { toolsets: toolsOf(change("edit", true, ran)) });
    const { session, told } = await present(host, model, "use b instead");
    expect(told).toContain("They said: use b instead");
    expect(session.state.settings.mode).toBe("plan");
    expect(ran).toEqual([]);
  });

  test("that nobody can accept is no consent", async () => {
    const model = scriptedModel([callTool("present_plan", { plan: "p" })], [say("The plan: p")]);
    await using host = await hostWith(model);
    const session = await host.open({ settings: { mode: "plan" } });
    const questions = { mode: "refuse", reason: "this is a job" } as const;
    expect((await session.submit({ text: "go", questions }).result).text).toBe("The plan: p");
    expect(session.state.settings.mode).toBe("plan");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Nobody could accept the plan");
  });
});
