import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

test("agent persona makes personas of a file, shows them with their versions, and refuses what is wrong in words", async () => {
  await using stage = new CommandStage();
  stage.configure("personas:\n  desk:\n    instructions: Be kind.\npersonalities:\n  pirate: Arr.\n");
  const file = join(stage.workspace, "clerk.yaml");
  const edit = (text: string, name = "clerk") => {
    writeFileSync(file, text);
    return stage.run(["persona", "edit", name, "--file", "clerk.yaml"]);
  };
  expect(await edit("instructions: Speak like a clerk.\ntoolsets: [web]\n")).toMatchObject({ code: 0 });
  const wrong = await edit("instructions: x\ntoolsets: [wep]\n");
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain("wep");
  expect((await edit("instructions: [\n")).stderr).toContain("was not saved");
  expect((await edit("instructions: x\n", "desk")).stderr).toContain("config.yaml");
  expect(readFileSync(file, "utf8")).toBe("instructions: x\n");
  expect((await stage.run(["persona", "edit", "clerk"])).stderr).toContain("--file");
  const shown = await stage.run(["persona", "show", "clerk"]);
  expect(shown.stdout).toMatch(
    /^instructions: Speak like a clerk\.\ntoolsets:\n {2}- web\n# version 1, .*, by terminal\n$/,
  );
  const listed: unknown = JSON.parse((await stage.run(["persona", "list", "--json"])).stdout);
  expect(listed).toMatchObject([
    { name: "clerk", source: "edited", version: 1 },
    { name: "pirate", source: "config.yaml" },
    { name: "desk", source: "config.yaml" },
  ]);
});
