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
    return stage.ask(["persona", "edit", name, "--file", "clerk.yaml"]);
  };
  expect(await edit("instructions: Speak like a clerk.\ntoolsets: [web]\n")).toMatchObject({ code: 0 });
  const wrong = await edit("instructions: x\ntoolsets: [wep]\n");
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain("wep");
  expect((await edit("instructions: [\n")).stderr).toContain("was not saved");
  expect((await edit("instructions: x\n", "desk")).stderr).toContain("config.yaml");
  expect(readFileSync(file, "utf8")).toBe("instructions: x\n");
  expect((await stage.ask(["persona", "edit", "clerk"])).stderr).toContain("--file");
  const shown = await stage.ask(["persona", "show", "clerk"]);
  expect(shown.stdout).toMatch(
    /^instructions: Speak like a clerk\.\ntoolsets:\n {2}- web\n# version 1, .*, by terminal\n$/,
  );
  const listed: unknown = JSON.parse((await stage.ask(["persona", "list", "--json"])).stdout);
  expect(listed).toMatchObject([
    { name: "clerk", source: "edited", version: 1 },
    { name: "desk", source: "config.yaml" },
    { name: "pirate", source: "personality" },
  ]);
  for (const [text, words] of [
    ["skills: [juggling]", 'skills: there is no skill "juggling"'],
    ["model: nowhere:big", "no model named nowhere:big, only demo"],
    ["budget: {token: 3}", "budget"],
  ] as const) {
    const refused = await edit(`${text}\n`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(words);
  }
  const job = await stage.ask(["jobs", "add", "every 2h", "hello", "--persona", "clerk", "--json"]);
  expect(JSON.parse(job.stdout)).toMatchObject({ persona: "clerk" });
  const { id } = JSON.parse(job.stdout) as { readonly id: string };
  expect((await stage.ask(["jobs", "edit", id, "--persona", "clerck"])).stderr).toContain(
    "Did you mean clerk?",
  );
  const inUse = await stage.ask(["persona", "remove", "clerk"]);
  expect(inUse).toMatchObject({ code: 1 });
  expect(inUse.stderr).toContain("the job hello");
  expect(await stage.ask(["jobs", "edit", id, "--persona", "none"])).toMatchObject({ code: 0 });
  expect(await stage.ask(["persona", "remove", "clerk"])).toMatchObject({ code: 0 });
  stage.configure("agent:\n  persona: clerk\n");
  expect((await stage.ask(["doctor"])).stdout).toContain(
    "There is no persona clerk: It is chosen for agent.persona",
  );
});
