import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

interface Found {
  readonly hits: readonly { readonly match: { readonly kind: string; readonly text: string } }[];
  readonly cursor: string | null;
}

test("agent sessions search finds what was said in any process, and marks the place", async () => {
  await using stage = new CommandStage();
  for (const prompt of ["Why is the flaky test red?", "Say something about 全文检索"])
    expect((await stage.ask(["run", prompt])).code).toBe(0);
  const found = await stage.ask(["sessions", "search", "FLAKY", "red"]);
  expect(found.stdout).toContain("asked: Why is the [flaky] test [red]?");
  expect(found.stderr).toBe("");
  expect((await stage.ask(["sessions", "search", "检索"])).stdout).toContain("[检索]");
  const json = await stage.ask(["sessions", "search", "--json", "-n", "1", "say*"]);
  const { hits, cursor } = JSON.parse(json.stdout) as Found;
  expect([hits.length, hits[0]?.match.kind, typeof cursor]).toEqual([1, "prompt", "string"]);
  expect((await stage.ask(["sessions", "search", "red flaky"])).stdout).toBe("Nothing was found.\n");
  expect(await stage.ask(["sessions", "search", "?"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no word to search for"),
  });
});
