import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type SlashCommandResult, SlashCommands } from "../../../src/core/index.ts";
import { GatewayStage } from "../../rpc/gateway-stage.ts";
import { stageWith } from "../../http/stage.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";
import { ask, keptFiles } from "./host-kit.ts";

const run = (command: string) => callTool("terminal", { command });
const write = (path: string, content: string) => callTool("write_file", { path, content });
const done = [say("done")];

test("a turn's files and conversation go back together, and what left the machine is named", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  writeFileSync(join(root, "a"), "old\n");
  const model = scriptedModel(
    [run("echo new > a; mkdir d; echo x > d/x")],
    done,
    [write("b", "by a tool\n")],
    [run("git push nowhere; echo newer > a")],
    done,
  );
  await using host = await hostWith(model, kept.options);
  const session = await host.open({ cwd: root });
  await ask(session, "first");
  await ask(session, "second\nwith more lines");
  const places = await session.checkpoints();
  expect(places.map(({ number, kind, text, files }) => [number, kind, text, files?.files.length])).toEqual([
    [1, "turn", "first", 2],
    [2, "turn", "second\nwith more lines", 2],
  ]);
  expect(await session.checkpointDiff(2)).toContain("-new\n+newer");
  const preview = await session.previewRewind({ turn: 2, scope: "both" });
  expect(preview).toMatchObject({ turns: 1, files: { conflicts: [] } });
  expect(readFileSync(join(root, "a"), "utf8")).toBe("newer\n");
  const end = await session.rewind({ turn: 2, scope: "both" });
  expect(end.turns).toBe(1);
  expect(end.files?.restored).toEqual([join(root, "a"), join(root, "b")]);
  expect(end.notUndone).toEqual(["terminal: git push nowhere; echo newer > a"]);
  expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
  expect(existsSync(join(root, "b"))).toBe(false);
  expect((await session.pastPrompts(10)).map(({ prompt }) => prompt.parts)).toHaveLength(1);
  await session.rewind({ turn: 1, scope: "files" });
  expect(readFileSync(join(root, "a"), "utf8")).toBe("old\n");
  expect(existsSync(join(root, "d"))).toBe(false);
  expect(await session.pastPrompts(10)).toHaveLength(1);
  expect(kept.reported).toEqual([]);
});

test("while a turn runs nothing goes back, and afterwards the work of a stopped command does", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const hold = gate();
  const model = scriptedModel([run("echo made > made")], [wait(hold), say("done")]);
  await using host = await hostWith(model, kept.options);
  const session = await host.open({ cwd: root });
  const turn = session.submit({ text: "go" });
  await hold.reached;
  await expect(session.rewind({ turn: 1, scope: "files" })).rejects.toMatchObject({ code: "session_busy" });
  expect(existsSync(join(root, "made"))).toBe(true);
  hold.open();
  await turn.result;
  await session.rewind({ turn: 1, scope: "files" });
  expect(existsSync(join(root, "made"))).toBe(false);
});

test("a fork before a turn has the files' history up to there, and its own way back", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const model = scriptedModel([write("a", "one")], done, [write("b", "two")], done);
  await using host = await hostWith(model, kept.options);
  const session = await host.open({ cwd: root });
  await ask(session, "first");
  await ask(session, "second");
  const fork = await host.branch(session.id, { before: 2 });
  expect((await fork.checkpoints()).map(({ text, files }) => [text, files?.files.length])).toEqual([
    ["first", 1],
  ]);
  await fork.rewind({ turn: 1, scope: "files" });
  expect(existsSync(join(root, "a"))).toBe(false);
  expect(existsSync(join(root, "b"))).toBe(true);
  await host.delete(fork.id);
  await session.rewind({ turn: 2, scope: "both" });
  expect(existsSync(join(root, "b"))).toBe(false);
});

test("what a subagent changes belongs to the turn that asked for it", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const model = scriptedModel(
    [callTool("delegate", { tasks: [{ goal: "write" }], goal: "write" })],
    [run("echo deep > deep")],
    [say("written")],
    done,
  );
  await using host = await hostWith(model, kept.options);
  const session = await host.open({ cwd: root });
  await ask(session, "delegate it");
  expect(existsSync(join(root, "deep"))).toBe(true);
  const [place] = await session.checkpoints();
  expect(place?.files?.files.map(({ path }) => path)).toEqual([join(root, "deep")]);
  await session.rewind({ turn: 1, scope: "both" });
  expect(existsSync(join(root, "deep"))).toBe(false);
});

test("/rewind and /rollback list turns, show diffs and go back", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const model = scriptedModel([write("a", "one\n")], done, [write("b", "two\n")], done);
  await using host = await hostWith(model, kept.options);
  const session = await host.open({ cwd: root });
  await ask(session, "first");
  await ask(session, "second");
  const typed = (text: string): Promise<SlashCommandResult> =>
    new SlashCommands().dispatch(text, {
      host,
      session,
      from: { surface: "test" },
      workspace: { cwd: root, roots: [root] },
      signal: new AbortController().signal,
      stopProcesses: () => Promise.resolve(0),
    });
  expect(await typed("/rewind")).toMatchObject({
    type: "done",
    output: expect.stringMatching(/1 .* first {2}· 1 file \+1 -0\n.*2 .* second/) as string,
  });
  expect(await typed("/rollback diff 2")).toMatchObject({
    output: expect.stringContaining("+two") as string,
  });
  expect(await typed("/rollback 1 a")).toMatchObject({ type: "done" });
  expect(existsSync(join(root, "a"))).toBe(false);
  expect(await typed("/rewind 2 both")).toMatchObject({ type: "prefill", message: "second" });
  expect(existsSync(join(root, "b"))).toBe(false);
  await expect(typed("/rewind 9")).rejects.toMatchObject({ code: "not_found" });
  await expect(typed("/rewind 1 sideways")).rejects.toMatchObject({ code: "command_usage" });
});

test("the gateway lists, compares and restores, with the codes of the protocol", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const hold = gate();
  const model = scriptedModel([write("a", "one\n")], done, [wait(hold), say("later")]);
  await using stage = await GatewayStage.open(model, kept.options);
  const client = await stage.client();
  const { id: session_id } = await stage.host.open({ cwd: root });
  await ask(await stage.host.session(session_id), "make a");
  const { enabled, checkpoints } = await client.call("rollback.list", { session_id });
  expect(enabled).toBe(true);
  expect(checkpoints).toMatchObject([
    { message: "make a", number: 1, files: [{ change: "added", added: 1 }] },
  ]);
  const [place] = checkpoints;
  expect(Date.parse(place?.timestamp ?? "")).toBeGreaterThan(0);
  expect(await client.call("rollback.diff", { session_id, hash: "1" })).toMatchObject({
    stat: expect.stringContaining("a | +1 -0") as string,
    diff: expect.stringContaining("+one") as string,
  });
  expect((await client.ask("rollback.diff", { session_id })).error).toMatchObject({ code: 4014 });
  expect((await client.ask("rollback.restore", { session_id, hash: "77" })).error).toMatchObject({
    code: 4014,
  });
  const turn = (await stage.host.session(session_id)).submit({ text: "wait" });
  await hold.reached;
  expect((await client.ask("rollback.restore", { session_id, hash: "1" })).error).toMatchObject({
    code: 4009,
  });
  hold.open();
  await turn.result;
  writeFileSync(join(root, "a"), "mine\n");
  const hash = place?.hash ?? "";
  expect(await client.call("rollback.restore", { session_id, hash, scope: "files" })).toMatchObject({
    success: false,
    reason: "conflict",
    conflicts: [{ path: join(root, "a") }],
  });
  const file_path = join(root, "a");
  expect(await client.call("rollback.restore", { session_id, hash, file_path })).toMatchObject({
    success: true,
    restored: [file_path],
    history_removed: 0,
  });
  expect(await client.call("rollback.restore", { session_id, hash })).toMatchObject({
    success: true,
    restored_to: hash,
    history_removed: 2,
    prompt: "make a",
  });
});

test("the API lists, compares, goes back, and forks before a turn", async () => {
  await using kept = keptFiles();
  const { root } = kept;
  const model = scriptedModel([write("a", "one\n")], done, [write("b", "two\n")], done);
  await using stage = await stageWith(model, { host: kept.options, settings: { workspace: root } });
  const session = await stage.host.open({ cwd: root });
  await ask(session, "first");
  await ask(session, "second");
  const at = `/api/sessions/${session.id}`;
  const json = async (answer: Response): Promise<unknown> => await answer.json();
  expect(await json(await stage.ask(`${at}/checkpoints`))).toMatchObject({
    object: "list",
    data: [
      { object: "agent.session.checkpoint", number: 1, text: "first" },
      { number: 2, files: [{ path: join(root, "b"), change: "added" }] },
    ],
  });
  expect(await json(await stage.ask(`${at}/checkpoints/2/diff`))).toMatchObject({
    diff: expect.stringContaining("+two") as string,
  });
  const fork = await stage.post(`${at}/fork`, { before: 2 });
  expect(fork.status).toBe(201);
  expect(await json(fork)).toMatchObject({ session: { message_count: 3 } });
  expect(await json(await stage.post(`${at}/rewind`, { turn: 2 }))).toMatchObject({
    object: "agent.session.rewind",
    scope: "both",
    turns_removed: 1,
    restored: [join(root, "b")],
    conflicts: [],
  });
  const codes = async (body: unknown): Promise<unknown> => {
    const answer = await stage.post(`${at}/rewind`, body);
    return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code];
  };
  expect(await codes({})).toEqual([400, "missing_turn"]);
  expect(await codes({ turn: 1, scope: "all" })).toEqual([400, "invalid_scope"]);
  expect(await codes({ turn: 50 })).toEqual([404, "not_found"]);
  expect((await stage.ask("/api/sessions/none/checkpoints")).status).toBe(404);
});
