import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filePort } from "../../../src/app/rpc/file-port.ts";
import { handClock } from "../../kit/clock.ts";

test("what is proposed for a path is not from an agent's home that lies in the workspace", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  for (const path of ["src", "state", "state/skills"]) mkdirSync(join(folder, path));
  for (const path of ["src/a.ts", "state/config.yaml", "state/skills/b.md"])
    writeFileSync(join(folder, path), "x");
  const files = filePort({
    machine: { env: {}, platform: process.platform, execPath: "", argv: [], pid: 1, kill: () => true },
    clock: handClock(),
    apart: [join(folder, "state")],
  });
  const found = await files.walk(folder);
  expect(found).toContain("src/a.ts");
  expect(found.filter((path) => path.startsWith("state/") && path !== "state/")).toEqual([]);
  rmSync(folder, { recursive: true });
});
