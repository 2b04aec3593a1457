import { describe, expect, test } from "vitest";
import { say, scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d494844520000040000000300080600000000", "hex");

describe("slash commands", () => {
  test("come as names with arguments, whole lines, aliases and the owner's own", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    stage.world.config["quick_commands"] = {
      gs: { type: "exec", command: "git status" },
      m: { type: "alias", target: "/model" },
    };
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const run = (params: object) => client.call("command.dispatch", { session_id, ...params });
    expect(await run({ name: "title", arg: "Mine" })).toEqual({ type: "exec", output: "Title: Mine" });
    expect(await run({ name: "/queue", arg: "later" })).toEqual({ type: "send", message: "later" });
    expect(await run({ command: "/m" })).toEqual({ type: "alias", target: "model" });
    expect(await run({ command: "/gs" })).toEqual({ type: "exec", output: "ran git status" });
    expect(await run({ command: "/new Other" })).toMatchObject({
      type: "exec",
      session_id: expect.any(String),
    });
    expect(await run({ command: "/quit" })).toMatchObject({ exit: true });
    expect(await client.call("slash.exec", { session_id, command: "help" })).toEqual({
      output: expect.any(String),
    });
    expect(await client.call("command.resolve", { name: "/q" })).toMatchObject({ canonical: "queue" });
    const codes = await Promise.all([
      client.ask("command.resolve", { name: "/nothing" }),
      client.ask("command.dispatch", { command: "/nothing" }),
      client.ask("command.dispatch", { command: "/" }),
      client.ask("command.dispatch", { command: "/title x" }),
      client.ask("command.dispatch", { command: "/steer", session_id }),
    ]);
    expect(codes.map(({ error }) => error?.code)).toEqual([4011, 4018, 4004, 4001, 4004]);
  });

  test("programs run beside the session", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    expect(await client.call("cli.exec", { argv: ["sessions", "list"] })).toEqual({
      blocked: false,
      code: 0,
      output: "agent sessions list",
    });
    for (const argv of [[], ["rpc"], ["setup"], ["gateway"]]) {
      expect(await client.call("cli.exec", { argv })).toMatchObject({
        blocked: true,
        code: -1,
        hint: expect.any(String),
      });
    }
    expect((await client.ask("cli.exec", { argv: "ls" })).error?.code).toBe(4003);
    expect(await client.call("shell.exec", { command: "ls" })).toEqual({
      code: 0,
      stdout: "ran ls",
      stderr: "",
    });
    expect((await client.ask("shell.exec", { command: " " })).error?.code).toBe(4004);
    expect(await client.call("process.stop", {})).toEqual({ killed: 0 });
  });
});

test("paths are completed below folders, and by parts of names after an @", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  for (const path of ["src/core/host.ts", "src/core/session.ts", "README.md"])
    stage.world.files.set(`/work/${path}`, "");
  const client = await stage.client();
  const texts = async (word: string): Promise<string[]> => {
    const { items } = await client.call("complete.path", { word });
    return items.map(({ text }: { text: string }) => text);
  };
  expect(await texts("@")).toEqual(["@file:", "@folder:"]);
  expect((await texts("@sess"))[0]).toBe("@file:src/core/session.ts");
  expect(await texts("@scho")).toEqual(["@file:src/core/host.ts"]);
  expect(await texts("@core/ho")).toEqual(["@file:src/core/host.ts"]);
  expect(await texts("@file:re/se")).toEqual(["@file:src/core/session.ts"]);
  expect(await texts("@folder:x")).toEqual([]);
});

describe("attachments", () => {
  test("an image goes along with the next prompt, once", async () => {
    const model = scriptedModel([say("I see it.")], [say("Nothing there.")]);
    await using stage = await GatewayStage.open(model);
    stage.world.files.set("/work/my photo.png", PNG);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const attach = { session_id, path: '"/work/my photo.png" what is it?' };
    expect(await client.call("image.attach", attach)).toEqual({
      attached: true,
      path: "/work/my photo.png",
      name: "my photo.png",
      count: 1,
      width: 1024,
      height: 768,
      token_estimate: 340,
      remainder: "what is it?",
      text: "what is it?",
    });
    await client.call("prompt.submit", { session_id, text: "what is it?" });
    await client.ended(session_id);
    await client.call("prompt.submit", { session_id, text: "and now?" });
    await client.ended(session_id, 2);
    const starts = client.events.filter(({ type }) => type === "message.start");
    expect(starts.map(({ payload }) => payload.images)).toEqual([1, 0]);
    expect(model.requests[0]?.messages[0]).toMatchObject({ parts: [{ type: "text" }, { type: "image" }] });
  });

  test.each([
    "/work/my\\ photo.png",
    "file:///work/my%20photo.png",
    "'/work/my photo.png'",
    "/work/my photo.png",
  ])("%s is recognised when it is dropped", async (text) => {
    await using stage = await GatewayStage.open(scriptedModel());
    stage.world.files.set("/work/my photo.png", PNG);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    expect(await client.call("input.detect_drop", { session_id, text })).toMatchObject({
      matched: true,
      is_image: true,
      path: "/work/my photo.png",
    });
  });

  test("bytes are attached, and taken back", async () => {
    await using stage = await GatewayStage.open(scriptedModel());
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const sent = { session_id, content_base64: PNG.toString("base64"), filename: "a.png" };
    const { path, ...attached } = await client.call("image.attach_bytes", sent);
    expect(attached).toMatchObject({ name: "a.png", text: "[image a.png]", bytes: PNG.byteLength });
    expect(await client.call("image.detach", { session_id, path })).toEqual({ detached: true, count: 0 });
    const wrong = await client.ask("image.attach_bytes", { session_id, data: "no base64!" });
    expect(wrong.error?.code).toBe(4017);
    expect((await client.ask("image.attach", { session_id, path: "/none.png" })).error?.code).toBe(4016);
    expect((await client.ask("image.attach", { session_id })).error?.code).toBe(4015);
    expect(await client.call("clipboard.paste", { session_id })).toMatchObject({ attached: false });
  });

  test("a long paste is one placeholder, and whole when it is sent", async () => {
    const model = scriptedModel();
    await using stage = await GatewayStage.open(model);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const { placeholder, lines } = await client.call("paste.collapse", { text: "one\ntwo\nthree\n" });
    expect(lines).toBe(3);
    await client.call("prompt.submit", { session_id, text: `Look: ${placeholder}!` });
    await client.ended(session_id);
    expect(model.seen[0]).toEqual(["Look: one\ntwo\nthree\n!"]);
  });
});

test("records of subagents come back as they were given", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const subagents = [{ id: "a", parentId: null, outputTail: [{ tool: "t", preview: "p", isError: false }] }];
  const { path } = await client.call("spawn_tree.save", {
    subagents,
    session_id: "s",
    finished_at: 5,
    label: "x",
  });
  expect(await client.call("spawn_tree.load", { path })).toEqual({
    session_id: "s",
    started_at: null,
    finished_at: 5,
    label: "x",
    subagents,
  });
  expect((await client.ask("spawn_tree.save", { subagents: [] })).error?.code).toBe(4000);
  expect(await client.call("delegation.status", {})).toEqual({
    active: [],
    paused: false,
    max_spawn_depth: 1,
    max_concurrent_children: 3,
  });
  expect(await client.call("subagent.interrupt", { subagent_id: "x" })).toEqual({
    found: false,
    subagent_id: "x",
  });
  expect((await client.ask("subagent.interrupt", {})).error?.code).toBe(4000);
});

describe("what a prompt brings along", () => {
  test("files that it mentions, bounded and with their paths; folders as listings; images as images", async () => {
    const model = scriptedModel([say("ok")]);
    await using stage = await GatewayStage.open(model);
    stage.world.files.set("/work/a.ts", "const a = 1;");
    stage.world.files.set("/work/big.txt", "x".repeat(50_000));
    stage.world.files.set("/work/src/b.ts", "b");
    stage.world.files.set("/work/shot.png", PNG);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const text = 'Read @a.ts, @file:big.txt and @"src" with @shot.png; ask me@a.ts about @nothing.';
    await client.call("prompt.submit", { session_id, text });
    const { payload } = await client.event("message.start", () => true);
    expect(payload).toMatchObject({
      text,
      images: 1,
      attached: ["/work/a.ts", "/work/big.txt", "/work/src"],
    });
    await client.event("message.complete", () => true);
    const parts = model.requests[0]?.messages.at(-1);
    const sent = JSON.stringify(parts);
    expect(sent).toContain("const a = 1;");
    expect(sent).toContain("[… cut: the file has 50000 bytes");
    expect(sent).not.toContain("x".repeat(40_001));
    expect(sent).toContain('"type":"image"');
    expect(sent).toContain("file:///work/a.ts");
    expect((await client.call("session.prompts", { session_id })).prompts[0].text).toBe(text);
  });

  test("a file with secrets makes the session ask before it sends anything to a stranger's host", async () => {
    await using stage = await GatewayStage.open(scriptedModel([say("ok")]));
    stage.world.files.set("/work/.env", "KEY=1");
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id, text: "see @.env" });
    await client.event("message.complete", () => true);
    expect((await stage.host.session(session_id)).state.sensitive).toBe(true);
  });

  test("the output of a command that is kept, once; a stream has no time limit and is stopped", async () => {
    const model = scriptedModel([say("ok")], [say("ok")]);
    await using stage = await GatewayStage.open(model);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const kept = client.call("shell.exec", { session_id, command: "wait", stream_id: "s", keep: true });
    await client.event("shell.output", ({ payload }) => payload.text === "wait says hello");
    expect(await client.call("shell.stop", { stream_id: "s" })).toEqual({ stopped: true });
    expect(await kept).toEqual({ code: -1, stdout: "wait says hello", stderr: "", lines: 0, stopped: true });
    expect(await client.call("shell.stop", { stream_id: "s" })).toEqual({ stopped: false });
    await client.call("shell.exec", { session_id, command: "secret", stream_id: "t" });
    for (const text of ["why?", "and now?"]) {
      await client.call("prompt.submit", { session_id, text });
      await client.event("message.complete", () => true);
    }
    const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(first).toContain("wait says hello\\n(stopped by the user)");
    expect(first).not.toContain("secret");
    expect(second).not.toContain("wait says");
  });

  test("the kept output of a command is what a terminal shows at the end; its client gets all of it", async () => {
    const model = scriptedModel([say("ok")]);
    await using stage = await GatewayStage.open(model);
    const client = await stage.client();
    const { session_id } = await client.call("session.create", {});
    const command = "\u001B[31mred\u001B[0m\r10%\r20%\u0007";
    const ran = await client.call("shell.exec", { session_id, command, keep: true });
    expect(ran.stdout).toBe(`ran ${command}`);
    await client.call("prompt.submit", { session_id, text: "why?" });
    await client.event("message.complete", () => true);
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toMatch(/[^%]\b20%\\n\(exit code 0\)/);
  });
});
