import { describe, expect, test } from "vitest";
import { bestPaths } from "../../src/rpc/handlers/commands/best-paths.ts";
import { growthOf } from "../kit/linear.ts";

const TREE = [
  "docs/",
  "docs/README.md",
  "src/",
  "src/core/",
  "src/core/host.ts",
  "src/core/host-options.ts",
  "src/core/state/",
  "src/core/state/named-hosts.ts",
  "src/core/questions/reached-hosts.ts",
  "src/tui/input/question-keys.ts",
  "test/core/ports/through-editor.test.ts",
  "test/kit/test-host.ts",
];

const best = (wanted: string, most = 5) => bestPaths(TREE, { wanted, most });

describe("paths that were most likely meant", () => {
  test("a part of a path is found anywhere, first where a name begins in it", async () => {
    expect((await best("core/ho")).slice(0, 2)).toEqual(["src/core/host.ts", "src/core/host-options.ts"]);
    expect(await best("re/ho", 2)).toEqual(["src/core/host.ts", "src/core/host-options.ts"]);
    expect(await best("HOST", 3)).toEqual([
      "src/core/host.ts",
      "src/core/host-options.ts",
      "test/kit/test-host.ts",
    ]);
  });

  test("folders count by their own names, and come before what is in them", async () => {
    expect(await best("core", 2)).toEqual(["src/core/", "src/core/state/"]);
    expect((await best("core/"))[0]).toBe("src/core/");
    expect((await best("sta"))[0]).toBe("src/core/state/");
  });

  test("letters in their order are enough, across folders; strewn ones are not", async () => {
    expect(await best("qk")).toEqual(["src/tui/input/question-keys.ts"]);
    expect((await best("corehost"))[0]).toBe("src/core/host.ts");
    expect((await best("co/st/na"))[0]).toBe("src/core/state/named-hosts.ts");
    expect(await best("dzz")).toEqual([]);
    expect(await best("zzz")).toEqual([]);
  });
});

const manyFiles = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `src/part${n % 50}/mod${n % 977}/file${n}.ts`);

/** Milliseconds of this thread's processor time for a search, the least of some. */
async function timeOf(paths: string[], wanted: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 4; run += 1) {
    const before = process.threadCpuUsage();
    await bestPaths(paths, { wanted, most: 30 });
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

test.each(["s", "fi", "file4999", "part7/mod1", "p7m1f3", "sptsfl", "nothing here"])(
  "the time for a letter grows with a tree of 50,000 files, and no faster: %s",
  async (wanted) => {
    const [whole, eighth] = [manyFiles(50_000), manyFiles(6250)];
    const found: string[] = [];
    // What grows too fast does so in each look; to be collected as garbage at the wrong moment happens in some.
    for (let look = 0; look < LOOKS; look += 1) {
      const [large, small] = [await timeOf(whole, wanted), await timeOf(eighth, wanted)];
      if (large < 20 || large / Math.max(small, 0.5) < 26) return;
      found.push(`${large.toFixed(1)} ms, an eighth of it ${small.toFixed(2)} ms`);
    }
    expect(found).toEqual([]);
  },
);
const LOOKS = 5;

test("a long path of one letter costs no more than its length", async () => {
  const input = (size: number): string[] => ["a".repeat(size)];
  const work = (paths: string[]): unknown => bestPaths(paths, { wanted: "a/a/a/a/a/ab", most: 30 });
  expect(growthOf({ input, work })).toBeUndefined();
});
