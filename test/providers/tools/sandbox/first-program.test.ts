import { describe, expect, test } from "vitest";
import { ownUser } from "../../../../src/providers/tools/sandbox/own-user.ts";
import { engine, stage, why, withFirst } from "./sandbox-stage.ts";

// Not bash where another shell is there: it tries again for a quarter of a minute.
const BOMB = `i=0; while [ $i -lt 30 ]; do sleep 20 & i=$((i+1)); done; echo unbounded`;

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`the program that runs first inside ${why}`, () => {
  test.each(["perl", "python3", "node"] as const)(
    "%s becomes the command, beside a way out",
    async (name) => {
      await using at = await stage({}, { using: withFirst(engine, name) });
      const { exit, text } = await at.run(`curl -sS http://a.test/; exit 7`);
      expect(exit.code).toBe(7);
      expect(text).toContain("The sandbox refuses a.test:80");
      const missing = await at.run("", { file: "no-such-program", args: [] });
      expect(missing.exit.code).toBe(127);
    },
  );

  test.each(["perl", "python3", "node"] as const)("%s bounds the number of processes", async (name) => {
    await using at = await stage({ limits: { processes: 20 } }, { using: withFirst(engine, name) });
    // Root's processes are bounded by a control group, where it can be written.
    if (ownUser().uid === 0 && at.sandbox.gaps.length > 0) return;
    const { text } = await at.run("", { file: "/bin/sh", args: ["-c", BOMB] });
    expect(text).toMatch(/[Cc]annot fork|fork: |Resource temporarily unavailable/);
    expect(text).not.toContain("unbounded");
  });
});
