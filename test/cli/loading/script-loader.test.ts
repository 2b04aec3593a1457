import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CodePack } from "../../../src/cli/loading/code-pack.ts";
import { ScriptLoader } from "../../../src/cli/loading/script-loader.ts";

let folder: string;
let pack: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-scripts-"));
  pack = join(folder, "packs", "run");
  script(
    "one-aaaaaaaa.cjs",
    `const { two } = load("two-aaaaaaaa.cjs"); const long = (n) => { ${"n += 1; ".repeat(500)} return n; };
    return { long, two, url: meta.url };`,
  );
  script("two-aaaaaaaa.cjs", "let runs = 0; return { get two() { return ++runs; } };");
});
afterEach(() => rmSync(folder, { recursive: true }));

const script = (name: string, body: string, keyword = ""): void =>
  writeFileSync(join(folder, name), `(${keyword}function (load, meta) { ${body} })`);

const savesOf = (): number => {
  const kept = new CodePack(pack);
  kept.close();
  return kept.saves;
};

test("a script runs once, takes others, and knows where it lies", async () => {
  script("late.cjs", 'const { sep } = await load.module("node:path"); return { sep };', "async ");
  const loader = new ScriptLoader(folder);
  const one = loader.load("one-aaaaaaaa.cjs");
  expect(one).toMatchObject({ two: 1, url: expect.stringMatching(/^file:.*\/one-aaaaaaaa\.cjs$/) });
  expect(loader.load("one-aaaaaaaa.cjs")).toBe(one);
  expect(loader.load("two-aaaaaaaa.cjs")).toMatchObject({ two: 2 });
  await expect(loader.load.late("late.cjs")).resolves.toEqual({ sep: "/" });
  await expect(loader.load.late("none-aaaaaaaa.cjs")).rejects.toThrow("none-aaaaaaaa.cjs");
});

test("a script of a program that was replaced while it ran fails in words, and is taken when it is there again", async () => {
  const loader = new ScriptLoader(folder);
  // Nothing ran yet: what is missing was never there.
  expect(() => loader.load("three-aaaaaaaa.cjs")).toThrow("ENOENT");
  void loader.load("two-aaaaaaaa.cjs");
  await expect(loader.load.late("three-aaaaaaaa.cjs")).rejects.toThrow(
    "The installed program was replaced while it ran, and three-aaaaaaaa.cjs is gone. Start the agent anew.",
  );
  script("three-aaaaaaaa.cjs", "return { three: 3 };");
  await expect(loader.load.late("three-aaaaaaaa.cjs")).resolves.toEqual({ three: 3 });
});

test("what is compiled is kept with the functions that ran, and taken by the next process", () => {
  const first = new ScriptLoader(folder, pack);
  void first.load("one-aaaaaaaa.cjs");
  expect(first.hasKept).toBe(false);
  first.keep({ isEnd: true });
  const { size } = statSync(pack);
  const second = new ScriptLoader(folder, pack);
  (second.load("one-aaaaaaaa.cjs") as unknown as { long: (n: number) => number }).long(0);
  second.keep({ isEnd: true });
  expect(statSync(pack).size).toBeGreaterThan(size + 1000);
  expect([second.hasKept, savesOf()]).toEqual([true, 2]);
});

test("after three processes it is written only for a script that is not in it", async () => {
  for (let index = 0; index < 5; index += 1) {
    const loader = new ScriptLoader(folder, pack);
    void loader.load("one-aaaaaaaa.cjs");
    loader.keep({ isEnd: true });
  }
  expect(savesOf()).toBe(3);
  script("three-aaaaaaaa.cjs", "return {};");
  const loader = new ScriptLoader(folder, pack);
  void loader.load("three-aaaaaaaa.cjs");
  loader.keep({ isEnd: true });
  loader.keep({ isEnd: true });
  expect(savesOf()).toBe(4);
  const kept = new CodePack(pack);
  expect([...kept.names].sort()).toEqual(["one-aaaaaaaa.cjs", "three-aaaaaaaa.cjs", "two-aaaaaaaa.cjs"]);
  rmSync(join(folder, "one-aaaaaaaa.cjs"));
  script("four-aaaaaaaa.cjs", "return {};");
  void loader.load("four-aaaaaaaa.cjs");
  loader.keepLast();
  // A script has gone: what follows is another build.
  await expect.poll(savesOf).toBe(1);
  expect([...new CodePack(pack).names].sort()).toEqual([
    "four-aaaaaaaa.cjs",
    "three-aaaaaaaa.cjs",
    "two-aaaaaaaa.cjs",
  ]);
  script("five-aaaaaaaa.cjs", "return { five: 5 };");
  expect(loader.load("five-aaaaaaaa.cjs")).toEqual({ five: 5 });
  loader.keep({ isEnd: true });
  expect(savesOf()).toBe(1);
});

test("each of many builds in one place has its code kept, by its first three processes", () => {
  for (let build = 0; build < 25; build += 1) {
    const name = `build-${String(build).padStart(8, "0")}.cjs`;
    script(name, `return { build: ${build} };`);
    for (let process = 0; process < 4; process += 1) {
      const loader = new ScriptLoader(folder, pack);
      expect(loader.load(name)).toEqual({ build });
      loader.keep({ isEnd: true });
    }
    const kept = new CodePack(pack);
    kept.close();
    expect([kept.saves, kept.names]).toEqual([3, [name]]);
    rmSync(join(folder, name));
  }
});

test("code that was kept with other flags of V8 is compiled anew; flags that are put aside do not matter", () => {
  const flags = (state: "no-" | ""): void => setFlagsFromString(`--${state}optimize-for-size`);
  let processes = 0;
  const keepAll = (isAside: boolean): void => {
    // V8 finds what this process has compiled without its code; to it a text that was never seen is one of another process.
    script("two-aaaaaaaa.cjs", `/*${(processes += 1)}*/ return {};`);
    const loader = new ScriptLoader(folder, pack);
    if (isAside) {
      loader.withFlagsOfStart = (work) => {
        flags("no-");
        try {
          return work();
        } finally {
          flags("");
        }
      };
    }
    void loader.load("two-aaaaaaaa.cjs");
    loader.keep({ isEnd: true });
  };
  for (let index = 0; index < 3; index += 1) keepAll(false);
  try {
    flags("");
    keepAll(true);
    expect(savesOf()).toBe(3);
    keepAll(false);
    expect(savesOf()).toBe(4);
  } finally {
    flags("no-");
  }
});

test("a script whose name does not say what stands in it is compiled anew: V8 would take the code of another text", () => {
  for (const answer of [1, 2]) {
    script("main.cjs", `return { answer: ${answer} };`);
    const loader = new ScriptLoader(folder, pack);
    expect(loader.load("main.cjs")).toEqual({ answer });
    void loader.load("two-aaaaaaaa.cjs");
    loader.keep({ isEnd: true });
  }
  expect(new CodePack(pack).names).toEqual(["two-aaaaaaaa.cjs"]);
});

test("a folder in which nothing can be kept is no failure", () => {
  writeFileSync(join(folder, "packs"), "a file");
  const loader = new ScriptLoader(folder, pack);
  expect(loader.load("two-aaaaaaaa.cjs")).toMatchObject({ two: 1 });
  loader.keep({ isEnd: true });
});
