import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addToConfigList } from "../../../src/cli/config/config-file.ts";

const KEYS = ["approvals", "allowed"];

test("what several processes add to a list is all there, with the comments of what was", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, "approvals:\n  allowed:\n    - npm test # always\n");
  await Promise.all([
    addToConfigList(path, KEYS, ["npm test", "git pull"]),
    addToConfigList(path, KEYS, ["make"]),
  ]);
  expect(readFileSync(path, "utf8")).toBe(
    "approvals:\n  allowed:\n    - npm test # always\n    - git pull\n    - make\n",
  );
});

test("a file that cannot be changed is named, and stays as it is", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-config-"));
  const path = join(folder.path, "config.yaml");
  writeFileSync(path, "usual: &usual { mode: smart }\napprovals: *usual\n");
  await expect(addToConfigList(path, KEYS, ["make"])).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(path),
  });
  expect(readFileSync(path, "utf8")).toContain("approvals: *usual");
});
