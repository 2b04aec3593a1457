import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepEtc, useEtc } from "../../../../src/providers/tools/sandbox/linux/shared-etc.ts";
import { handClock } from "../../../kit/clock.ts";

function place() {
  const tempDir = realpathSync(mkdtempSync(join(tmpdir(), "agent-etc-")));
  onTestFinished(() => rmSync(tempDir, { recursive: true, force: true }));
  return { tempDir, home: tempDir };
}

const folderOf = ({ arguments: [, folder = ""] }: { readonly arguments: readonly string[] }): string =>
  folder;

test("sandboxes share a copy of /etc for ten minutes, and the last one that uses it takes it away", async () => {
  const policy = place();
  const clock = handClock();
  const [one, two] = await Promise.all([useEtc(policy, { clock }), useEtc(policy, { clock })]);
  const first = folderOf(one);
  expect(folderOf(two)).toBe(first);
  expect(one.arguments.slice(0, 3)).toEqual(["--ro-bind", first, "/etc"]);
  expect(readFileSync(join(first, "hosts"), "utf8")).toContain("localhost");
  await one[Symbol.asyncDispose]();
  clock.advance(10 * 60_000 - 1);
  const three = await useEtc(policy, { clock });
  expect(folderOf(three)).toBe(first);

  clock.advance(1);
  const four = await useEtc(policy, { clock });
  expect(folderOf(four)).not.toBe(first);
  await two[Symbol.asyncDispose]();
  expect(existsSync(first)).toBe(true);
  await three[Symbol.asyncDispose]();
  expect([existsSync(first), existsSync(folderOf(four))]).toEqual([false, true]);
  await four[Symbol.asyncDispose]();
  expect(existsSync(folderOf(four))).toBe(false);

  const anew = await useEtc(policy, { clock });
  expect(existsSync(folderOf(anew))).toBe(true);
  await anew[Symbol.asyncDispose]();
});

test("the newest copy stays between sandboxes as long as somebody keeps it, and an older one does not", async () => {
  const policy = place();
  const clock = handClock();
  const keepers = [keepEtc(policy), keepEtc(policy)];
  const used = async (): Promise<string> => {
    await using etc = await useEtc(policy, { clock });
    return folderOf(etc);
  };
  const first = await used();
  expect(existsSync(first)).toBe(true);
  clock.advance(10 * 60_000);
  const second = await used();
  expect(second).not.toBe(first);
  expect(await used()).toBe(second);
  for (const keeper of keepers) {
    expect(existsSync(second)).toBe(true);
    await keeper[Symbol.asyncDispose]();
  }
  // The older one is gone by then, too.
  expect(readdirSync(policy.tempDir)).toEqual([]);
  expect(existsSync(await used())).toBe(false);
});

test("a copy that cannot be made is tried again", async () => {
  const policy = place();
  const clock = handClock();
  const missing = { ...policy, tempDir: join(policy.tempDir, "later") };
  await expect(useEtc(missing, { clock })).rejects.toThrow("ENOENT");
  mkdirSync(missing.tempDir);
  const made = await useEtc(missing, { clock });
  expect(existsSync(folderOf(made))).toBe(true);
  await made[Symbol.asyncDispose]();
});
