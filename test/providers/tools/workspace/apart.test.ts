import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFolders } from "../../../../src/app/config/home.ts";
import { listFilesTool } from "../../../../src/providers/tools/files/list-files.ts";
import { SeenFiles } from "../../../../src/providers/tools/files/seen-files.ts";
import { readTextInside } from "../../../../src/providers/tools/workspace/read-text.ts";
import { openWorkspace } from "../../../../src/providers/tools/workspace/workspace.ts";
import { toolStage } from "../../../kit/tool-context.ts";
import { scratch } from "../scratch.ts";

const FILES = {
  "in/home/config.yaml": "approvals: {}\n",
  "in/home/profiles/work/.keep": "",
  "in/a.txt": "a\n",
};

test.each(["linux", "darwin"])(
  "the agent's home is no part of a workspace, whatever it is called (%s)",
  async (platform) => {
    await using dir = await scratch();
    await dir.write(FILES);
    await symlink(dir.at("in/home"), dir.at("in/link"));
    await symlink(dir.at("in/home"), dir.at("alias"));
    // The last one is another name of the same folder, as another case of the letters is on some systems.
    for (const apart of [dir.at("in/home"), dir.at("alias")]) {
      const workspace = openWorkspace({ cwd: dir.at("in"), roots: [dir.at("in")], apart: [apart] }, platform);
      for (const path of [
        "home/config.yaml",
        "./home/../home/config.yaml",
        "link/config.yaml",
        "home/new/deep/file",
      ]) {
        const refused = {
          code: "outside_workspace",
          message: expect.stringContaining("belongs to the agent itself"),
        };
        await expect(workspace.openFile(path), path).rejects.toMatchObject(refused);
        await expect(workspace.replaceFile(path, Buffer.from("x")), path).rejects.toMatchObject(refused);
        await expect(workspace.realPath(path), path).rejects.toMatchObject(refused);
      }
      await expect(workspace.openDirectory("home")).rejects.toMatchObject({ code: "outside_workspace" });
      await using top = await workspace.openDirectory(".");
      expect(await top.directory("home")).toBeUndefined();
      await using file = await top.file("a.txt");
      expect(file).toBeDefined();
      const text = (path: string) =>
        readTextInside(
          path,
          { cwd: dir.at("in"), roots: [dir.at("in")], apart: [apart] },
          { limit: 100, platform },
        );
      expect(await text("home/config.yaml")).toBeUndefined();
      expect(await text("a.txt")).toBe("a\n");
    }
    expect(await readdir(dir.at("in/home"))).toEqual(["config.yaml", "profiles"]);
  },
);

test("what lies in the agent's home is not listed", async () => {
  await using dir = await scratch();
  await dir.write(FILES);
  const tools = {
    platform: "linux",
    seen: new SeenFiles(),
    limit: 28_000,
    apart: [dir.at("in/home")],
    home: "/home/me",
  };
  const { text } = await toolStage({ cwd: dir.at("in") }).run(listFilesTool(tools), {});
  expect(text).toContain("a.txt");
  expect(text).not.toContain("config.yaml");
});

test("a link to a file with secrets is not read for whoever named the link", async () => {
  await using dir = await scratch();
  await dir.write({ "in/.env": "KEY=x\n" });
  await symlink(".env", dir.at("in/AGENTS.md"));
  const options = { limit: 100, platform: "linux" };
  const reach = { cwd: dir.at("in"), roots: [dir.at("in")] };
  expect(await readTextInside("AGENTS.md", reach, options)).toBeUndefined();
  expect(await readTextInside(".env", reach, options)).toBe("KEY=x\n");
});

test("the homes of an agent are its own, that of its other profiles, and the usual one", async () => {
  await using dir = await scratch();
  await dir.write(FILES);
  await mkdir(dir.at("user"));
  await symlink(dir.at("in/home"), dir.at("user/.agent"));
  const env = { HOME: dir.at("user") };
  const real = dir.at("in/home");
  expect(agentFolders({ home: join(dir.at("user"), ".agent") }, env)).toEqual([real]);
  expect(agentFolders({ home: dir.at("user/.agent/profiles/work") }, env)).toEqual([
    join(real, "profiles/work"),
    real,
  ]);
  expect(agentFolders({ home: dir.at("elsewhere") }, env)).toEqual([dir.at("elsewhere"), real]);
});
