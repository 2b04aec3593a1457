import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { BIN, CommandStage } from "../kit/command.ts";
import { commandTable } from "./command-table.ts";

const PAGE = join(import.meta.dirname, "../../docs/command-line.md");
/** The part of the page that is made of the helps. */
const TABLE = /(?<=## All commands\n[\s\S]*?\n\n)\| Command [\s\S]*$/;

/** The commands that a help lists, without the help command itself. */
const listed = (help: string): readonly string[] =>
  [...(help.split("\nCommands:\n")[1]?.split("\n\n")[0] ?? "").matchAll(/^ {2}([a-z]+)/gm)].flatMap(
    ([, name = ""]) => (name === "help" ? [] : [name]),
  );

test("help ends with two examples and the home; docs/command-line.md has all of it", async () => {
  await using stage = new CommandStage();
  const seen: string[] = [];
  const helps: string[] = [];
  const look = async (path: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await stage.ask([...path, "--help"]);
    expect([code, stderr], path.join(" ")).toEqual([0, ""]);
    const name = path.join(" ");
    const [, examples = "", home] = /\nExamples:\n([\s\S]*)\n\nHome: (.*)\n$/.exec(stdout) ?? [];
    expect(
      examples.split("\n").map((line) => line.trim()),
      name,
    ).toEqual(EXAMPLES[name]);
    for (const line of examples.split("\n")) expect(line, name).toMatch(/\bagent\b/);
    expect(home).toBe(`${stage.home} (AGENT_HOME names another one)`);
    seen.push(name);
    helps.push(stdout);
    for (const child of listed(stdout)) await look([...path, child]);
  };
  await look([]);
  expect(seen.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
  const page = readFileSync(PAGE, "utf8");
  const table = commandTable(helps);
  if (process.env["UPDATE_DOCS"] === "1")
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  expect(TABLE.exec(readFileSync(PAGE, "utf8"))?.[0]).toBe(table);
});

test.runIf(existsSync("/dev/full")).each(["--help", "--version", "sessions --help"])(
  "%s that is lost is a failure with one line",
  async (words) => {
    await using stage = new CommandStage();
    const script = `exec "$0" "$1" ${words} > /dev/full`;
    const { stderr, status } = spawnSync("/bin/sh", ["-c", script, process.execPath, BIN], {
      env: { PATH: process.env["PATH"], HOME: stage.folder, AGENT_HOME: stage.home },
      encoding: "utf8",
    });
    expect({ stderr, status }).toEqual({
      status: 1,
      stderr: "agent: Not all output could be written: no space is left.\n",
    });
  },
);
