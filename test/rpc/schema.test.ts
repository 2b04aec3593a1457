import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { HANDLERS } from "../../src/rpc/handlers/dispatch.ts";
import { METHODS } from "../../src/rpc/protocol/methods.ts";
import { referenceText } from "./reference.ts";

/** The methods that every gateway of this protocol has. */
const PUBLIC = `prompt.submit prompt.background session.steer session.create session.list session.active_list
  session.activate session.close session.interrupt session.history session.compress session.branch session.title
  session.usage session.status session.resume clarify.respond sudo.respond secret.respond approval.respond config.set
  config.get commands.catalog command.resolve command.dispatch cli.exec reload.mcp reload.env process.stop
  delegation.status subagent.interrupt spawn_tree.save spawn_tree.list spawn_tree.load terminal.resize clipboard.paste
  image.attach`.split(/\s+/);

test("every public method is there, and every method has a handler", () => {
  expect(PUBLIC).toHaveLength(37);
  expect(Object.keys(METHODS)).toEqual(expect.arrayContaining(PUBLIC));
  expect(Object.keys(HANDLERS).toSorted()).toEqual(Object.keys(METHODS).toSorted());
});

test("agent rpc --schema prints a document in which every reference leads somewhere", async () => {
  await using stage = new CommandStage();
  const { stdout, code } = await stage.ask(["rpc", "--schema"]);
  expect(code).toBe(0);
  const document = JSON.parse(stdout) as { methods: { name: string }[]; components: { schemas: object } };
  expect(document.methods.map(({ name }) => name)).toEqual(Object.keys(METHODS));
  const references = [...stdout.matchAll(/"\$ref": "([^"]+)"/g)].map(([, to = ""]) => to);
  expect(references.length).toBeGreaterThan(10);
  for (const to of new Set(references)) {
    expect(to.startsWith("#/components/schemas/")).toBe(true);
    expect(Object.keys(document.components.schemas)).toContain(to.slice("#/components/schemas/".length));
  }
});

test("docs/gateway-reference.md is what the table says; UPDATE_DOCS=1 writes it anew", () => {
  const file = fileURLToPath(new URL("../../docs/gateway-reference.md", import.meta.url));
  const text = referenceText();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, text);
  expect(readFileSync(file, "utf8")).toBe(text);
});
