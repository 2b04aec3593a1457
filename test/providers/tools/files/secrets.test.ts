import { chmod, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { ripgrepSearcher } from "../../../../src/providers/tools/files/ripgrep-search.ts";
import { viewImageTool } from "../../../../src/providers/tools/vision/view-image.ts";
import { fileStage } from "./file-stage.ts";

const SECRETS = [
  ".env",
  ".ENV",
  ".env.local",
  "prod.env",
  ".ssh/config",
  ".SSH/anything",
  "keys/id_ed25519",
  "tls/Server.PEM",
  ".aws/config",
  ".npmrc",
  "gateway.token",
  "etc/shadow",
  "infra/terraform.tfstate",
  "infra/terraform.tfstate.backup",
  "auth.json",
  "credentials.json",
  "service-account-prod.json",
  ".bash_history",
];

test.each(SECRETS)("reading %s asks, by its name and by any link", async (path) => {
  await using at = await fileStage({ [path]: "canary\n" });
  await symlink(at.dir.at("in", path), at.dir.at("in/innocent.txt"));
  const asks = {
    verdict: "ask",
    harmless: false,
    allowPermanent: false,
    patterns: [`read:${at.dir.at("in", path)}`],
    sensitive: true,
  };
  for (const name of [path, `./${path}`, at.dir.at("in", path), "innocent.txt"]) {
    for (const tool of ["read_file", "search_files", "list_files"])
      expect(await at.permit(tool, { path: name, pattern: "x" }), `${tool} ${name}`).toMatchObject(asks);
    const image = viewImageTool({ platform: "linux", apart: [], home: "/home/me" });
    expect(await at.stage.permit(image, { path: name }), name).toMatchObject(asks);
  }
  for (const request of [
    { pattern: "canary" },
    { pattern: "canary", glob: path },
    { pattern: "canary", glob: "**" },
  ])
    expect((await at.call("search_files", request)).text).toBe("Nothing was found.");
});

test("changing one tells the model of it as well", async () => {
  await using at = await fileStage({ ".env": "KEY=1\n", "a.txt": "KEY=1\n" });
  const edit = { old_text: "KEY=1", new_text: "KEY=2" };
  expect(await at.permit("edit_file", { path: ".env", ...edit })).toMatchObject({ sensitive: true });
  expect(await at.permit("edit_file", { path: "a.txt", ...edit })).not.toHaveProperty("sensitive");
});

test.each([".env.example", "src/key.ts", "docs/secrets.md", "environment.ts", "keys/id_rsa.pub"])(
  "reading %s does not ask",
  async (path) => {
    await using at = await fileStage({ [path]: "x\n" });
    expect(await at.permit("read_file", { path })).toEqual({ verdict: "allow" });
  },
);

test("a ripgrep that lies in the workspace is not started", async () => {
  const spawner = { spawn: () => Promise.reject(new Error("started")) };
  let program = "";
  await using at = await fileStage(
    { "bin/rg": "#!/bin/sh\ntouch ran\n", "a.txt": "needle\n" },
    { searcher: () => Promise.resolve(ripgrepSearcher(program, spawner)) },
  );
  await chmod(at.dir.at("in/bin/rg"), 0o755);
  await symlink(at.dir.at("in/bin"), at.dir.at("elsewhere"));
  for (program of [at.dir.at("in/bin/rg"), at.dir.at("elsewhere/rg")])
    expect((await at.call("search_files", { pattern: "needle" })).text).toContain("a.txt:1: needle");
  expect(existsSync(at.dir.at("in/ran"))).toBe(false);
});
