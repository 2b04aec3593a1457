import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

const FOLDER = `agent-code-${process.getuid?.()}`;

/** A stage with a place of its own for compiled code. */
function stageWithPlace(): CommandStage {
  const stage = new CommandStage();
  stage.env["NODE_COMPILE_CACHE"] = stage.folder;
  return stage;
}

const folderOf = (stage: CommandStage): string => join(stage.folder, FOLDER);

const VERSION = { code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" };

test("what a command has compiled is kept for its next start, in a folder of the user alone", async () => {
  await using stage = stageWithPlace();
  const folder = folderOf(stage);
  expect(await stage.run(["--version"])).toMatchObject(VERSION);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const [file = ""] = readdirSync(folder);
  expect(file).toMatch(/^chat-/);
  const kept = statSync(join(folder, file));
  expect(kept.mode & 0o777).toBe(0o600);
  expect(await stage.run(["--version"])).toMatchObject(VERSION);
  // All that the second one compiled was there: it wrote nothing.
  expect(statSync(join(folder, file)).mtimeMs).toBe(kept.mtimeMs);
  expect((await stage.run(["completion", "bash"])).code).toBe(0);
  expect(readdirSync(folder).map((name) => name.replace(/-.*/, ""))).toEqual(["chat", "completion"]);
});

test("compiled code of which anything is wrong is not run, and is written anew", async () => {
  await using stage = stageWithPlace();
  const folder = folderOf(stage);
  await stage.run(["--version"]);
  const file = join(folder, readdirSync(folder)[0] ?? "");
  const whole = readFileSync(file);
  const otherByte = Buffer.from(whole);
  otherByte.writeUInt8(whole.readUInt8(whole.length - 5000) ^ 1, whole.length - 5000);
  for (const damaged of [Buffer.alloc(0), Buffer.alloc(100), whole.subarray(0, -1), otherByte]) {
    writeFileSync(file, damaged);
    expect(await stage.run(["--version"])).toMatchObject(VERSION);
    expect(readFileSync(file).equals(damaged)).toBe(false);
  }
});

test("a folder that others can write to is given no code", async () => {
  await using stage = stageWithPlace();
  const folder = folderOf(stage);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(await stage.run(["--version"])).toMatchObject(VERSION);
  expect(readdirSync(folder)).toEqual([]);
});

test("a command that fails, or is told to keep nothing, leaves no code", async () => {
  await using stage = stageWithPlace();
  const folder = folderOf(stage);
  expect((await stage.run(["sesions"])).code).toBe(2);
  stage.env["NODE_DISABLE_COMPILE_CACHE"] = "1";
  expect(await stage.run(["--version"])).toMatchObject(VERSION);
  expect(existsSync(folder)).toBe(false);
});
