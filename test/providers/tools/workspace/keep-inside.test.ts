import { readdir, readFile, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { keepInside } from "../../../../src/providers/tools/index.ts";
import { scratch } from "../scratch.ts";

const platform = process.platform;

test("a file is kept once: one that is there stays as it is", async () => {
  await using folder = await scratch();
  const reach = { cwd: folder.path, roots: [folder.path] };
  const get = () => Promise.resolve(Buffer.from("new"));
  expect(await keepInside("in/a.txt", reach, { platform, get })).toBe(3);
  await folder.write({ "in/a.txt": "changed" });
  const never = () => Promise.reject(new Error("asked for again"));
  expect(await keepInside("in/a.txt", reach, { platform, get: never })).toBe(7);
  expect(await readFile(folder.at("in", "a.txt"), "utf8")).toBe("changed");
  expect(await readdir(folder.at("in"))).toEqual(["a.txt"]);
});

test("nothing is kept outside of the workspace, wherever links lead, nor in the agent's own folder", async () => {
  await using folder = await scratch();
  await using outside = await scratch();
  await symlink(outside.path, folder.at("in"));
  await symlink(outside.at("made.txt"), folder.at("link.txt"));
  const reach = { cwd: folder.path, roots: [folder.path] };
  const get = () => Promise.resolve(Buffer.from("x"));
  for (const path of ["in/a.txt", "link.txt", "../a.txt"])
    await expect(keepInside(path, reach, { platform, get })).rejects.toMatchObject({
      code: "outside_workspace",
    });
  await expect(
    keepInside("a.txt", { ...reach, apart: [folder.path] }, { platform, get }),
  ).rejects.toMatchObject({ code: "outside_workspace" });
  expect(await readdir(outside.path)).toEqual([]);
});
