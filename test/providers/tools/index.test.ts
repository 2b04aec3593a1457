import { expect, test } from "vitest";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { BackgroundProcesses, builtinToolsets, Spawner } from "../../../src/providers/tools/index.ts";
import { toolStage } from "../../kit/tool-context.ts";
import { scratch } from "./scratch.ts";

test("the toolsets and their tools are those of the plan, and each says what it takes", async () => {
  await using dir = await scratch();
  await using spawner = new Spawner({
    machine: process,
    clock: systemClock,
    hostId: "h",
    tempDir: dir.path,
  });
  await using background = new BackgroundProcesses(spawner, systemClock);
  const toolsets = builtinToolsets({ machine: process, spawner, background, tempDir: dir.path });
  expect(
    Object.fromEntries(toolsets.map(({ name, tools }) => [name, tools.map((tool) => tool.name)])),
  ).toEqual({
    files: ["read_file", "write_file", "edit_file", "search_files", "list_files"],
    terminal: ["terminal", "process"],
    vision: ["view_image"],
    todo: ["todo"],
    clarify: ["clarify"],
    delegate: ["delegate"],
  });
  for (const { name, tools, configured } of toolsets) {
    expect(configured).toBe(true);
    for (const tool of tools) {
      expect(tool.toolset).toBe(name);
      expect(tool.parameters).toMatchObject({ type: "object", properties: expect.any(Object) });
      expect(tool.parameters).not.toHaveProperty("$schema");
      // A tool that does not judge itself would ask each time.
      expect("permit" in tool).toBe(true);
    }
  }
});

test.each([
  ["ripgrep", undefined],
  ["our own hands", () => Promise.resolve(undefined)],
])("files are searched with %s", async (_name, findRipgrep) => {
  await using dir = await scratch();
  await dir.write({ "a.txt": "needle\n" });
  await using spawner = new Spawner({
    machine: process,
    clock: systemClock,
    hostId: "h",
    tempDir: dir.path,
  });
  await using background = new BackgroundProcesses(spawner, systemClock);
  const options = { machine: process, spawner, background, tempDir: dir.path };
  const toolsets = builtinToolsets(findRipgrep === undefined ? options : { ...options, findRipgrep });
  const search = toolsets[0]?.tools.find(({ name }) => name === "search_files");
  const found = search && (await toolStage({ cwd: dir.path }).run(search, { pattern: "needle" }));
  expect(found?.text).toBe("a.txt:1: needle");
});
