import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

test("bash completes commands, their commands and their options; other shells are told what there is", async () => {
  await using stage = new CommandStage();
  const { code, stdout, stderr } = await stage.ask(["completion", "bash"]);
  expect([code, stderr]).toEqual([0, ""]);
  const file = join(stage.folder, "completion.bash");
  writeFileSync(file, stdout);
  const completed = (...words: readonly string[]): readonly string[] => {
    const line = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agent_words; echo "\${COMPREPLY[@]}"`;
    const said = execFileSync("bash", ["-c", line, file, "agent", ...words], { encoding: "utf8" });
    return said.trim().split(" ");
  };
  expect(completed("se")).toEqual(["sessions", "setup"]);
  expect(completed("sessions", "ex")).toEqual(["export"]);
  expect(completed("-p", "work", "mcp", "a")).toEqual(["add"]);
  expect(completed("run", "--out")).toEqual(["--output", "--output-last-message"]);
  expect(completed("--mod")).toEqual(["--model", "--mode"]);
  const zsh = await stage.ask(["completion", "zsh"]);
  expect(zsh.stdout).toBe(`autoload -U +X bashcompinit && bashcompinit\n${stdout}`);
  const fish = await stage.ask(["completion", "fish"]);
  expect(fish.stdout).toMatch(/case " sessions"\n +printf '%s\\n' list search show timeline export /);
  expect(await stage.ask(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "agent: There is no completion for tcsh: bash, zsh and fish have one.\n",
  });
});
