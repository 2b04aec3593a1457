import { describe, expect, test } from "vitest";
import {
  type SlashCommandResult,
  isSlashCommand,
  type Session,
  type SlashCommand,
  SlashCommands,
} from "../../../src/core/index.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, type TestHost, testTool, toolsOf } from "../../kit/test-host.ts";

const from = { surface: "test", client: "1" };

function typed(host: TestHost, session: Session | undefined): (text: string) => Promise<SlashCommandResult> {
  const commands = new SlashCommands();
  return (text) =>
    commands.dispatch(text, {
      host,
      session,
      from,
      workspace: { cwd: "/w", roots: ["/w"] },
      signal: new AbortController().signal,
      stopProcesses: async () => 2,
    });
}

describe("slash commands", () => {
  test("are found by name, alias, case and an unmistakable beginning", () => {
    const commands = new SlashCommands();
    const resolved = ["help", "/HELP", "q", "fork", "compac", "st", "nothing", ""].map(
      (name) => commands.resolve(name)?.name,
    );
    expect(resolved).toEqual([
      "help",
      "help",
      "queue",
      "branch",
      "compress",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("of a skill come after the built-in ones: they take neither a name nor a beginning from them", async () => {
    const skill = (name: string): SlashCommand => ({
      name,
      aliases: [],
      args: "",
      description: name,
      category: "Skills",
      run: async () => ({ type: "send", message: name, skill: name }),
    });
    const commands = new SlashCommands((cwd) => [
      ...["help", "compare", "compare"].map(skill),
      skill(`deploy${cwd}`),
    ]);
    const resolved = ["help", "comp", "compar", "dep", "depl"].map(
      (name) => commands.resolve(name, "-w")?.name,
    );
    expect(resolved).toEqual(["help", "compress", "compare", "deploy-w", "deploy-w"]);
    expect(commands.resolve("help")?.category).toBe("Info");
    expect(commands.all().filter(({ name }) => ["help", "compare"].includes(name))).toHaveLength(2);
  });

  test("are told from paths and prose", () => {
    expect(["/help", "/title my title", " /undo 2"].map(isSlashCommand)).toEqual([true, true, true]);
    expect(["/usr/bin/env", "/", "read /help", "//"].map(isSlashCommand)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test("all have a description, and none hides behind another's alias", () => {
    const all = new SlashCommands().all();
    const names = all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const { description } of all) expect(description).not.toBe("");
    const wanted =
      "help new resume sessions title branch undo retry queue steer compress model tools status usage yolo reasoning stop quit";
    for (const name of wanted.split(" ")) expect(names).toContain(name);
  });

  test("say what was probably meant, how they are used, and that they need a session", async () => {
    await using host = await hostWith(scriptedModel());
    const type = typed(host, await host.open());
    await expect(type("/titel x")).rejects.toMatchObject({
      code: "unknown_command",
      message: expect.stringContaining("/title"),
    });
    await expect(type("/undo many")).rejects.toMatchObject({ code: "command_usage" });
    await expect(type("/steer")).rejects.toMatchObject({
      code: "command_usage",
      message: "Usage: /steer <text>",
    });
    await expect(typed(host, undefined)("/undo")).rejects.toMatchObject({ code: "session_not_found" });
  });

  test("title, branch, undo, retry and new do what they say", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open({ cwd: "/w" });
    const type = typed(host, session);
    await session.submit({ text: "one" }).result;
    await session.submit({ text: "two" }).result;
    expect(await type("/title My chat")).toEqual({ type: "done", output: "Title: My chat" });
    const branch = await type("/branch");
    expect(branch).toMatchObject({ type: "switch", output: "Branched to My chat #2." });
    expect(await type("/retry")).toEqual({ type: "send", message: "two", notice: "Trying again." });
    expect(await type("/undo")).toMatchObject({ type: "prefill", message: "one" });
    await expect(type("/undo")).rejects.toMatchObject({ code: "nothing_to_undo" });
    const fresh = await type("/new Another");
    expect(fresh.type === "switch" && (await host.session(fresh.sessionId)).state).toMatchObject({
      title: "Another",
      cwd: "/w",
    });
    expect(await type("/resume My chat")).toMatchObject({ type: "switch", sessionId: session.id });
  });

  test("model switches for the next call", async () => {
    const model = scriptedModel();
    await using host = await hostWith(model);
    const session = await host.open();
    expect(await typed(host, session)("/model other:big")).toMatchObject({
      output:
        "Model: other:big, from the next call on, in this session. `agent model other:big` makes it that of new ones.",
    });
    expect(session.state.settings).toMatchObject({ provider: "other", model: "big" });
    await expect(typed(host, session)("/model other:small\nand tell me")).rejects.toMatchObject({
      code: "model_unknown",
    });
    await session.submit({ text: "x" }).result;
    const events = await Array.fromAsync(session.events({ follow: false }));
    expect(events.find(({ type }) => type === "reply.complete")).toMatchObject({
      provider: "other",
      model: "big",
    });
  });

  test("tools switches toolsets of this session only, and never beyond its platform", async () => {
    const toolsets = [
      { name: "a", label: "A", description: "", tools: [testTool("one")], configured: true },
      { name: "b", label: "B", description: "", tools: [testTool("two")], configured: true },
    ];
    const model = scriptedModel();
    await using host = await hostWith(model, { toolsets });
    const session = await host.open();
    const type = typed(host, session);
    expect(await type("/tools disable b")).toMatchObject({ output: "Toolsets: a" });
    await session.submit({ text: "x" }).result;
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["one"]);
    await expect(type("/tools enable c")).rejects.toMatchObject({
      code: "command_usage",
      message: expect.stringContaining("no toolset c"),
    });
    const webhook = await host.open({ platform: "webhook" });
    await webhook.set({ toolsets: ["a", "b"] });
    await webhook.submit({ text: "x" }).result;
    expect(model.requests[1]?.tools).toEqual([]);
  });

  test("queue, steer and stop act on the running turn", async () => {
    const hold = gate();
    const model = scriptedModel([wait(hold), say("1")], [say("2")]);
    await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
    const session = await host.open();
    const type = typed(host, session);
    expect(await type("/steer now")).toEqual({ type: "send", message: "now" });
    const turn = session.submit({ text: "go", from });
    await turn.accepted;
    expect(await type("/steer be brief")).toMatchObject({ type: "done" });
    expect(await type("/queue later")).toEqual({ type: "send", message: "later" });
    await session.submit({ text: "later", from: { surface: "other" } }).accepted;
    expect(await type("/queue")).toMatchObject({ output: "1. later" });
    expect(await type("/stop")).toMatchObject({ output: "Stopped the turn; ended 2 background processes." });
    expect((await turn.result).outcome).toBe("cancelled");
  });

  test("status and usage tell the truth in words", async () => {
    await using host = await hostWith(scriptedModel([say("x")]));
    const session = await host.open({ cwd: "/w" });
    const type = typed(host, session);
    expect(await type("/status")).toMatchObject({
      output: expect.stringMatching(/Status {4}idle[\s\S]*Folder {4}\/w/),
    });
    expect(await type("/usage")).toMatchObject({ output: expect.stringContaining("Model calls   0") });
    expect(await type("/yolo")).toMatchObject({ output: expect.stringContaining("Mode all") });
    expect(session.state.settings.mode).toBe("all");
    expect(await type("/help")).toMatchObject({ output: expect.stringContaining("/compress [focus]") });
    expect(await type("/quit")).toEqual({ type: "quit" });
  });

  test("a background run answers beside the conversation", async () => {
    const model = scriptedModel([say("from beside")]);
    await using host = await hostWith(model);
    const session = await host.open();
    const events = session.events({ live: false });
    expect(await typed(host, session)("/background look it up")).toMatchObject({
      output: expect.stringMatching(/^Started bg_[0-9a-f]{6}\.$/),
    });
    for await (const event of events) {
      if (event.type !== "background.complete") continue;
      expect(event).toMatchObject({ text: "from beside", outcome: "completed" });
      break;
    }
    expect(session.state.counts.turns).toBe(0);
    expect((await host.list({ limit: 10, offset: 0, includeEmpty: true })).map(({ id }) => id)).toEqual([
      session.id,
    ]);
  });
});

test("/prompt shows what the next request begins with", async () => {
  const guided = toolsOf(testTool("look")).map((set) => ({ ...set, guidance: "Look twice." }));
  const host = await hostWith(scriptedModel(), {
    toolsets: guided,
    systemPrompt: ({ tools, toolsets, state }) =>
      [state.platform, ...tools.map(({ name }) => name), ...toolsets.map((set) => set.guidance)].join(" "),
  });
  const session = await host.open({ settings: { instructions: "Be kind." } });
  expect(await typed(host, session)("/prompt")).toEqual({
    type: "done",
    output: "library look Look twice.\n\nBe kind.\n\n(34 characters)",
  });
  await host.close();
});

test("a turn's memory scope reaches the prompt of its first request, and its tools", async () => {
  const seen: unknown[] = [];
  const look = testTool("look", {
    run: async (_input, { session }) => {
      seen.push(session.memoryScope);
      return "ok";
    },
  });
  const host = await hostWith(scriptedModel([callTool("look")], [say("done")], [say("again")]), {
    toolsets: toolsOf(look),
    systemPrompt({ state }) {
      seen.push(state.turn?.prompt.memoryScope);
      return "";
    },
  });
  const session = await host.open();
  await session.submit({ text: "one", memoryScope: "ann" }).result;
  await session.submit({ text: "two" }).result;
  expect(seen).toEqual(["ann", "ann", "ann", undefined]);
  await host.close();
});
