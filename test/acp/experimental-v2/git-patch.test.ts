import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gitPatch } from "../../../src/acp/experimental-v2/git-patch.ts";
import { times } from "../../kit/counts.ts";

/** Applies the one hunk of a patch to a text, as its numbers and signs say; fails when they are not true. */
function applied(patch: string, text: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const [head = "", ...body] = patch.slice(patch.indexOf("@@")).replace(/\n$/, "").split("\n");
  const [, from, count = "1", , added = "1"] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(head) ?? [];
  const start = Number(count) === 0 ? Number(from) : Number(from) - 1;

  const before: string[] = [];
  const after: string[] = [];
  for (const [index, line] of body.entries()) {
    if (line.startsWith("\\")) continue;
    const sign = line.charAt(0);
    const whole = line.slice(1) + (body[index + 1]?.startsWith("\\") === true ? "" : "\n");
    if (sign !== "+") before.push(whole);
    if (sign !== "-") after.push(whole);
  }
  expect([before.length, after.length]).toEqual([Number(count), Number(added)]);
  expect(lines.slice(start, start + before.length)).toEqual(before);
  return [...lines.slice(0, start), ...after, ...lines.slice(start + before.length)].join("");
}

describe("the patch of a change", () => {
  test("gives the new text when it is applied to the old one, whatever they are", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\n", " "), maxLength: 40 });
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        fc.pre(oldText !== newText);
        expect(applied(gitPatch({ path: "/w/a.txt", oldText, newText }), oldText)).toBe(newText);
      }),
      { numRuns: times(2000) },
    );
  });

  test("of a new file begins at nothing", () => {
    expect(gitPatch({ path: "/w/a b.txt", oldText: null, newText: "one\n" })).toBe(
      [
        "diff --git a/w/a b.txt b/w/a b.txt",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/w/a b.txt",
        "@@ -0,0 +1 @@",
        "+one",
        "",
      ].join("\n"),
    );
  });

  test("that changes nothing has no hunk", () => {
    expect(gitPatch({ path: "/w/a", oldText: "x", newText: "x" })).toBe("diff --git a/w/a b/w/a\n");
  });
});
