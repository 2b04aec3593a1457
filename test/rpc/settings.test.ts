import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import type { ModelListing, ModelRef, Personas } from "../../src/core/index.ts";
import { defined } from "../../src/shared/json/defined.ts";
import { say, scriptedModel, scriptedModelWith } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";
import type { LinkedClient } from "./raw-client.ts";

async function session(stage: GatewayStage): Promise<{ client: LinkedClient; id: string }> {
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  return { client, id };
}

describe("settings of the configuration", () => {
  test.each([
    ["busy", "steer", "steer", ["display", "busy_input_mode"], "steer"],
    ["verbose", "", "verbose", ["display", "tool_progress"], "verbose"],
    ["verbose", "off", "off", ["display", "tool_progress"], "off"],
    ["details_mode.tools", "expanded", "expanded", ["display", "sections", "tools"], "expanded"],
    ["details_mode.tools", "", "", ["display", "sections", "tools"], undefined],
    ["thinking_mode", "full", "full", ["display", "thinking_mode"], "full"],
    ["compact", "", "on", ["display", "tui_compact"], true],
    ["compact", true, "on", ["display", "tui_compact"], true],
    ["statusbar", "toggle", "off", ["display", "tui_statusbar"], "off"],
    ["indicator", "ascii", "ascii", ["display", "tui_status_indicator"], "ascii"],
    ["reasoning", "show", "show", ["display", "show_reasoning"], true],
    ["skin", "plain", "plain", ["display", "skin"], "plain"],
    ["prompt", "Be brief.", "Be brief.", ["agent", "prompt"], "Be brief."],
  ])("%s set to %j is %j", async (...[key, given, shown, at, stored]) => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    expect(await client.call("config.set", { key, value: given })).toMatchObject({ key, value: shown });
    expect(stage.world.changes).toContainEqual([at, stored]);
  });

  test.each([
    ["busy", "sometimes", 4002],
    ["mouse", "on", 4002],
    ["mouse", "", 4002],
    ["mouse", "off", 0],
    ["indicator", "", 0],
    ["nothing", "x", 4002],
    ["fast", "on", 4002],
    ["skin", "pink", 4002],
    ["mtime", "1", 4002],
    ["cwd", "/nowhere", 4002],
  ])("%s set to %j is answered %i", async (key, value, code) => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    const { error } = await client.ask("config.set", { key, value });
    expect(error?.code ?? 0).toBe(code);
    if (code !== 0 || key === "mouse") expect(stage.world.changes).toEqual([]);
  });

  test("an unknown key names the ones that there are", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    const { error } = await client.ask("config.get", { key: "nothing" });
    expect(error?.message).toContain("details_mode");
  });

  test("a skin is told to everybody", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const [one, other] = [await stage.client(), await stage.client()];
    await one.call("config.set", { key: "skin", value: "plain" });
    expect(await other.event("skin.changed")).toMatchObject({
      session_id: "",
      payload: { name: "plain", colors: {} },
    });
    const late = await stage.client();
    expect(late.events[0]?.payload.skin.name).toBe("plain");
  });

  test("approvals for all, and the bypass of this process", async () => {
    let mode: "manual" | "smart" | "off" = "smart";
    const policy = () => ({ ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode } });
    await using stage = await GatewayStage.open(scriptedModel(), { policy });
    const { client } = await session(stage);
    mode = "manual";
    expect(await client.call("config.set", { key: "approval_mode", value: "manual" })).toEqual({
      key: "approvals.mode",
      value: "manual",
    });
    await client.event("session.info", ({ payload }) => payload.approval_mode === "manual");
    expect(await client.call("config.set", { key: "yolo", value: "on", scope: "global" })).toMatchObject({
      value: "1",
      scope: "global",
    });
    expect(stage.world.bypass).toBe(true);
  });
});

describe("settings of a session", () => {
  test("fast is the faster tier of the session's model, where it has one", async () => {
    const model = scriptedModelWith({ hasFastTier: true });
    await using stage = await GatewayStage.open(model);
    const { client, id } = await session(stage);
    const fast = { key: "fast", session_id: id };
    expect(await client.call("config.set", { ...fast, value: "" })).toEqual({
      key: "fast",
      value: "fast",
      scope: "session",
    });
    await client.event("session.info", ({ payload }) => payload.fast && payload.service_tier === "priority");
    await client.call("prompt.submit", { session_id: id, text: "hi" });
    await client.event("message.complete");
    expect(model.requests[0]?.fast).toBe(true);
    expect(await client.call("config.set", { ...fast, value: "status" })).toMatchObject({ value: "fast" });
    expect(await client.call("config.set", { ...fast, value: "normal" })).toMatchObject({ value: "normal" });
    expect(await client.call("config.get", fast)).toEqual({ value: "normal" });
    const pinned = await client.call("session.create", { fast: true });
    expect(pinned.info).toMatchObject({ fast: true });
  });

  test("a model without a faster tier is never said to be in it", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const { client, id } = await session(stage);
    const { error } = await client.ask("config.set", { key: "fast", value: "on", session_id: id });
    expect(error).toMatchObject({ code: 4002, message: expect.stringContaining("fast_tier") });
    expect((await client.ask("session.create", { fast: true })).error?.message).toContain("fast_tier");
  });

  test("the model changes for the session, and /model does the same", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const { client, id } = await session(stage);
    expect(
      await client.call("config.set", { key: "model", value: "other --provider p", session_id: id }),
    ).toMatchObject({ key: "model", value: "other", scope: "session", confirm_required: false });
    await client.event(
      "session.info",
      ({ payload }) => payload.model === "other" && payload.provider === "p",
    );
    const said = await client.call("command.dispatch", { command: "/model p:third", session_id: id });
    expect(said).toEqual({
      type: "exec",
      output:
        "Model: p:third, from the next call on, in this session. `agent model p:third` makes it that of new ones.",
    });
    expect(await client.call("config.get", { key: "model", session_id: id })).toMatchObject({
      model: "third",
    });
    expect((await client.ask("config.set", { key: "model", value: "", session_id: id })).error?.code).toBe(
      4002,
    );
  });

  test("--global is written down, and holds for the session where it was said", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const { client, id } = await session(stage);
    await client.call("config.set", { key: "model", value: "other --provider p", session_id: id });
    const global = { key: "model", value: "third --provider p --global", session_id: id };
    expect(await client.call("config.set", global)).toMatchObject({ value: "third", scope: "global" });
    expect(stage.world.config["model"]).toEqual({ provider: "p", default: "third" });
    expect((await stage.host.session(id)).state.settings).not.toHaveProperty("model");
  });

  test("an unknown provider is refused and provider/model is read, wherever a model is named", async () => {
    const parse = (text: string): ModelRef =>
      text.startsWith("scripted")
        ? defined({ provider: "scripted", model: text.split(":")[1] })
        : { model: text };
    const list = (): Promise<readonly ModelListing[]> =>
      Promise.resolve([{ provider: "scripted", model: "script", current: true }]);
    await using stage = await GatewayStage.open({ ...scriptedModel(), parse, list });
    const { client, id } = await session(stage);
    const ways = (model: string) => [
      client.ask("command.dispatch", { command: `/model ${model}`, session_id: id }),
      client.ask("config.set", { key: "model", value: model, session_id: id }),
      client.ask("session.create", { model }),
    ];
    for (const asked of ways("nobody:x"))
      expect((await asked).error?.message).toContain("There is no provider named nobody");
    for (const asked of ways("scripted/script")) expect((await asked).error).toBeUndefined();
    expect((await stage.host.session(id)).state.settings).toMatchObject({
      provider: "scripted",
      model: "script",
    });
  });

  test("settings of the provider before go along with it when another becomes the default", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const { client, id } = await session(stage);
    const before = { provider: "local", default: "m", base_url: "http://localhost:1/v1", key_env: "OLD" };
    stage.world.config["model"] = before;
    await client.call("config.set", { key: "model", value: "p:third", scope: "global", session_id: id });
    expect(stage.world.config["model"]).toEqual({
      provider: "p",
      default: "third",
      providers: { local: { base_url: "http://localhost:1/v1", key_env: "OLD", default: "m" } },
    });
  });

  test("--once holds for one turn", async () => {
    const model = scriptedModel([say("a")], [say("b")]);
    await using stage = await GatewayStage.open(model);
    const { client, id } = await session(stage);
    await client.call("config.set", { key: "model", value: "special --once", session_id: id });
    await client.call("prompt.submit", { session_id: id, text: "go" });
    await client.ended(id);
    await client.event("session.info", ({ payload, seq = 0 }) => seq > 4 && payload.model === "script");
    expect((await client.event("session.usage")).payload.usage.model).toBe("special");
  });

  test("yolo, reasoning, folder and personality", async () => {
    const pirate = { name: "pirate", instructions: "Talk like a pirate." };
    const personas: Personas = {
      names: () => ["pirate"],
      of: ({ state }) => (state.settings.persona === "pirate" ? pirate : undefined),
    };
    const model = scriptedModel();
    await using stage = await GatewayStage.open(model, { personas });
    stage.world.files.set("/work/sub/file", "");
    const { client, id } = await session(stage);
    const set = (key: string, value: string) => client.call("config.set", { key, value, session_id: id });
    expect(await set("yolo", "")).toEqual({ key: "yolo", value: "1", scope: "session" });
    expect(await set("reasoning", "high")).toMatchObject({ value: "high" });
    expect(await set("cwd", "sub")).toMatchObject({
      key: "terminal.cwd",
      value: "/work/sub",
      branch: "main",
    });
    expect(await set("personality", "pirate")).toMatchObject({ value: "pirate", history_reset: false });
    await client.event("session.info", ({ payload }) => payload.cwd === "/work/sub" && payload.yolo === true);
    const { state } = await stage.host.session(id);
    expect(state.settings).toMatchObject({
      mode: "all",
      reasoning: "high",
      persona: "pirate",
    });
    const get = (session_id?: string) => client.call("config.get", { key: "personality", session_id });
    expect([await get(id), await get()]).toEqual([{ value: "pirate" }, { value: "pirate" }]);
    // So are sessions that begin later.
    const later = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id: later.session_id, text: "hi" });
    await client.ended(later.session_id);
    expect(model.requests[0]?.system).toContain("pirate");
    const wrong = await client.ask("config.set", { key: "personality", value: "pirat", session_id: id });
    expect(wrong.error).toMatchObject({ message: expect.stringContaining("Did you mean pirate?") });
    expect(await set("personality", "none")).toMatchObject({ value: "none" });
    await client.event("session.info", ({ payload }) => payload.personality === "");
    const shown = await client.call("slash.exec", { command: "/personality pirate", session_id: id });
    expect(JSON.stringify(shown)).toContain("Persona: pirate");
    expect((await stage.host.session(id)).state.settings.persona).toBe("pirate");
  });

  test("toolsets are switched for a session, or for all new ones", async () => {
    await using stage = await GatewayStage.open(scriptedModel(), { toolsets: toolsOf(testTool("look")) });
    const { client, id } = await session(stage);
    const off = await client.call("tools.configure", {
      action: "disable",
      names: ["test", "none"],
      session_id: id,
    });
    expect(off).toMatchObject({
      changed: ["test"],
      enabled_toolsets: [],
      unknown: ["none"],
      info: { tools: {} },
    });
    await client.call("tools.configure", { action: "disable", names: ["test"] });
    expect(stage.world.changes).toContainEqual([["toolsets", "tui"], []]);
    expect(await client.call("toolsets.list", { session_id: id })).toMatchObject({
      toolsets: [{ name: "test", enabled: false, tools: ["look"] }],
    });
  });

  test("a toolset that is not configured says what is missing, and gives the tools that need nothing", async () => {
    const [set] = toolsOf(testTool("search"), testTool("read"));
    const toolsets =
      set === undefined ? [] : [{ ...set, configured: false, remedy: "Set a key.", usable: ["read"] }];
    const model = scriptedModel();
    await using stage = await GatewayStage.open(model, { toolsets });
    const { client, id } = await session(stage);
    const entry = { name: "test", tools: ["search", "read"], configured: false, remedy: "Set a key." };
    const listed = async () => await client.call("toolsets.list", { session_id: id });
    expect(await listed()).toMatchObject({ toolsets: [{ ...entry, enabled: true }] });
    const configure = { names: ["test"], session_id: id };
    await client.call("tools.configure", { ...configure, action: "disable" });
    expect(await listed()).toMatchObject({ toolsets: [{ ...entry, enabled: false }] });
    const on = await client.call("tools.configure", { ...configure, action: "enable" });
    expect(on).toMatchObject({ enabled_toolsets: ["test"], info: { tools: { test: ["read"] } } });
    await client.call("prompt.submit", { session_id: id, text: "hi" });
    await client.ended(id);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["read"]);
  });

  test("the models come by provider", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    expect(await client.call("model.options", {})).toMatchObject({
      model: "script",
      provider: "scripted",
      providers: [
        { slug: "scripted", is_current: true, models: ["script"], total_models: 1, authenticated: true },
      ],
    });
  });
});
