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
    "one.cjs",
    `const { two } = load("two.cjs"); const long = (n) => { ${"n += 1; ".repeat(500)} return n; };
    return { long, two, url: meta.url };`,
  );
  script("two.cjs", "let runs = 0; return { get two() { return ++runs; } };");
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
  const one = loader.load("one.cjs");
  expect(one).toMatchObject({ two: 1, url: expect.stringMatching(/^file:.*\/one\.cjs$/) });
  expect(loader.load("one.cjs")).toBe(one);
  expect(loader.load("two.cjs")).toMatchObject({ two: 2 });
  await expect(loader.load.late("late.cjs")).resolves.toEqual({ sep: "/" });
  await expect(loader.load.late("none.cjs")).rejects.toThrow("none.cjs");
});

test("what is compiled is kept with the functions that ran, and taken by the next process", () => {
  const first = new ScriptLoader(folder, pack);
  void first.load("one.cjs");
  expect(first.hasKept).toBe(false);
  first.keep();
  const { size } = statSync(pack);
  const second = new ScriptLoader(folder, pack);
  (second.load("one.cjs") as unknown as { long: (n: number) => number }).long(0);
  second.keep();
  expect(statSync(pack).size).toBeGreaterThan(size + 1000);
  expect([second.hasKept, savesOf()]).toEqual([true, 2]);
});

test("after three processes it is written only for a script that is not in it", () => {
  for (let index = 0; index < 5; index += 1) {
    const loader = new ScriptLoader(folder, pack);
    void loader.load("one.cjs");
    loader.keep();
  }
  expect(savesOf()).toBe(3);
  script("three.cjs", "return {};");
  const loader = new ScriptLoader(folder, pack);
  void loader.load("three.cjs");
  loader.keep();
  loader.keep();
  expect(savesOf()).toBe(4);
  const kept = new CodePack(pack);
  expect([...kept.names].sort()).toEqual(["one.cjs", "three.cjs", "two.cjs"]);
  rmSync(join(folder, "one.cjs"));
  script("four.cjs", "return {};");
  void loader.load("four.cjs");
  loader.keepLast();
  expect([...new CodePack(pack).names].sort()).toEqual(["four.cjs", "three.cjs", "two.cjs"]);
  script("five.cjs", "return { five: 5 };");
  expect(loader.load("five.cjs")).toEqual({ five: 5 });
  loader.keep();
  expect(savesOf()).toBe(5);
});

test("code that was kept with other flags of V8 is compiled anew; flags that are put aside do not matter", () => {
  const flags = (state: "no-" | ""): void => setFlagsFromString(`--${state}optimize-for-size`);
  let processes = 0;
  const keepAll = (isAside: boolean): void => {
    // V8 finds what this process has compiled without its code; to it a text that was never seen is one of another process.
    script("two.cjs", `/*${(processes += 1)}*/ return {};`);
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
    void loader.load("two.cjs");
    loader.keep();
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

test("a folder in which nothing can be kept is no failure", () => {
  writeFileSync(join(folder, "packs"), "a file");
  const loader = new ScriptLoader(folder, pack);
  expect(loader.load("two.cjs")).toMatchObject({ two: 1 });
  loader.keep();
});
