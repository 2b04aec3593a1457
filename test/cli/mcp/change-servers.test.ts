import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

const config = (stage: CommandStage): string => readFileSync(join(stage.home, "config.yaml"), "utf8");

test("a server that is added stands in the configuration as one would write it, and goes when it is removed", async () => {
  await using stage = new CommandStage();
  stage.configure("# mine\nprofile: work\n");
  const words = [
    "mcp",
    "add",
    "files",
    "--env",
    "TOKEN",
    "--env",
    "LEVEL=a=b",
    "--",
    "npx",
    "-y",
    "a-server",
    ".",
  ];
  const added = await stage.ask(words);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(
    /^Saved to \S+config\.yaml: files\. `agent mcp test files` connects to it\.\n$/,
  );
  const header = "Authorization: Bearer ${DOCS_TOKEN}";
  await stage.ask([
    "mcp",
    "add",
    "docs",
    "https://mcp.example.com/mcp",
    "--transport",
    "sse",
    "--header",
    header,
  ]);
  expect(config(stage)).toContain("# mine\n");
  const listed = JSON.parse((await stage.ask(["mcp", "list", "--json"])).stdout) as unknown;
  expect(listed).toEqual([
    {
      name: "files",
      transport: "stdio",
      target: "npx",
      enabled: true,
      problem: expect.stringContaining("${TOKEN}"),
    },
    {
      name: "docs",
      transport: "sse",
      target: "https://mcp.example.com/mcp",
      enabled: true,
      login: "none",
      problem: expect.stringContaining("${DOCS_TOKEN}"),
    },
  ]);
  expect(config(stage)).toMatch(/LEVEL: a=b/);
  expect((await stage.ask(["mcp", "remove", "files"])).code).toBe(0);
  expect(config(stage)).not.toContain("files");
  expect(config(stage)).toContain("docs:");
});

test.each([
  [["add", "docs"], "Name the program that starts the server behind `--`, or its address with --url."],
  [
    ["add", "docs", "--url", "https://a.example", "--", "npx"],
    "A server has either an address, or a program",
  ],
  [["add", "docs", "--header", "A: b", "--", "npx"], "--header is for a server with an address."],
  [["add", "docs", "--env", "1 2=3", "--", "npx"], "--env takes NAME=value"],
  [
    ["add", "docs", "--url", "https://a.example", "--header", "secret-without-name"],
    "--header takes 'Name: value'",
  ],
  [
    ["add", "there", "--", "npx"],
    "There is an MCP server there already: `agent mcp remove there` removes it.",
  ],
  [["remove", "docs"], "There is no MCP server docs; configured: there."],
])("mcp %j is refused, and nothing is written", async (words, said) => {
  await using stage = new CommandStage();
  stage.configure("mcp_servers:\n  there:\n    command: cat\n");
  const { code, stderr } = await stage.ask(["mcp", ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(config(stage)).toBe("mcp_servers:\n  there:\n    command: cat\n");
});
