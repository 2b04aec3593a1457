import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { CommandStage } from "../kit/command.ts";
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
