import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GatewayClient, spawned } from "../../../src/rpc/client/index.ts";
import { CommandStage } from "../../kit/command.ts";

const BIN = new URL("../../../bin/agent.js", import.meta.url).pathname;

function connected(stage: CommandStage): GatewayClient {
  const { PATH } = process.env;
  const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, ...stage.env };
  const connect = spawned({ command: process.execPath, args: [BIN, "rpc"], cwd: stage.workspace, env });
  return new GatewayClient({ connect, reconnect: false });
}

test("settings are written to the file, comments stay, and they hold at once", async () => {
  await using stage = new CommandStage();
  stage.configure(
    "# mine\napprovals:\n  mode: smart # for now\nmodel:\n  api_key: sk-1234567890\n  provider: demo\n",
  );
  await using client = connected(stage);
  const { session_id } = await client.request("session.create", {});
  await client.request("config.set", { key: "approval_mode", value: "manual" });
  const text = readFileSync(join(stage.home, "config.yaml"), "utf8");
  expect(text).toContain("# mine");
  expect(text).toContain("mode: manual # for now");
  const { info } = await client.request("session.activate", { session_id });
  expect(info.approval_mode).toBe("manual");
  const { config } = await client.request("config.get", { key: "full" });
  expect(config).toMatchObject({
    approvals: { mode: "manual" },
    model: { api_key: "********", provider: "demo" },
  });
  const { mtime } = await client.request("config.get", { key: "mtime" });
  expect(mtime).toBeGreaterThan(1_700_000_000);
});

test("a change of the file by somebody else holds after the next look, a broken one leaves what held", async () => {
  await using stage = new CommandStage();
  await using client = connected(stage);
  await client.ready;
  stage.configure("approvals:\n  mode: off\n");
  await client.request("config.get", { key: "mtime" });
  expect(await client.request("config.get", { key: "approval_mode" })).toEqual({ value: "off" });
  stage.configure("approvals:\n  mode: sometimes\n");
  await expect(client.request("config.get", { key: "mtime" })).rejects.toThrow(/approvals\.mode/);
  expect(await client.request("config.get", { key: "approval_mode" })).toEqual({ value: "off" });
});

test("variables of .env count after reload.env", async () => {
  await using stage = new CommandStage();
  await using client = connected(stage);
  await client.ready;
  expect(await client.request("reload.env", {})).toEqual({ updated: 0 });
  stage.write(".env", "ONE=1\nTWO='2'\n");
  expect(await client.request("reload.env", {})).toEqual({ updated: 2 });
});

test("files are found as people write them, records do not lead outside", async () => {
  await using stage = new CommandStage();
  await using client = connected(stage);
  const { session_id } = await client.request("session.create", { cwd: stage.workspace });
  mkdirSync(join(stage.workspace, "src"));
  writeFileSync(join(stage.workspace, "src", "main.ts"), "");
  writeFileSync(join(stage.workspace, "ignored.log"), "");
  writeFileSync(join(stage.workspace, ".gitignore"), "*.log\n");
  mkdirSync(join(stage.workspace, ".git"));
  writeFileSync(join(stage.workspace, ".git", "HEAD"), "ref: refs/heads/topic\n");
  const png = join(stage.workspace, "my picture.png");
  writeFileSync(png, Buffer.from("89504e470d0a1a0a0000000d494844520000000a0000001408", "hex"));
  const image = await client.request("image.attach", { session_id, path: "my\\ picture.png" });
  expect(image).toMatchObject({ path: png, width: 10, height: 20, count: 1 });
  const found = await client.request("complete.path", { session_id, word: "@main" });
  expect(found.items.map(({ text }) => text)).toEqual(["@file:src/main.ts"]);
  const logs = await client.request("complete.path", { session_id, word: "@ignored" });
  expect(logs.items).toEqual([]);
  const listed = await client.request("complete.path", { session_id, word: "./s" });
  expect(listed.items).toEqual([{ text: "./src/", display: "src/", meta: "folder" }]);
  expect(await client.request("config.get", { key: "project", session_id })).toMatchObject({
    branch: "topic",
  });

  const saved = await client.request("spawn_tree.save", {
    subagents: [{ id: "a" }],
    session_id: "../x",
    label: "l",
  });
  expect(saved.path.startsWith(join(stage.home, "spawn-trees"))).toBe(true);
  expect(statSync(saved.path).mode & 0o777).toBe(0o600);
  const { entries } = await client.request("spawn_tree.list", { cross_session: true });
  expect(entries).toMatchObject([{ path: saved.path, label: "l", count: 1 }]);
  const link = join(stage.home, "spawn-trees", "link.json");
  symlinkSync(join(stage.home, "state.db"), link);
  for (const path of ["/etc/passwd", link, join(stage.home, "spawn-trees", "..", "state.db")]) {
    await expect(client.request("spawn_tree.load", { path })).rejects.toMatchObject({ code: 4030 });
  }
});

test("commands run, what must never run does not, and this program is run as it was", async () => {
  await using stage = new CommandStage();
  await using client = connected(stage);
  await client.ready;
  const said = await client.request("shell.exec", { command: "pwd; echo oops >&2; exit 3" });
  expect(said).toEqual({ code: 3, stdout: `${stage.workspace}\n`, stderr: "oops\n" });
  await expect(client.request("shell.exec", { command: "rm -rf /" })).rejects.toMatchObject({ code: 4005 });
  const version = await client.request("cli.exec", { argv: ["--version"] });
  expect(version).toMatchObject({ blocked: false, code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const { file } = await client
    .request("session.create", {})
    .then(({ session_id }) => client.request("session.save", { session_id }));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ messages: [] });
});
