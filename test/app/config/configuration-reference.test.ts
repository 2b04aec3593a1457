import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkConfig } from "../../../src/app/config/settings.ts";
import { parseModelsConfig } from "../../../src/providers/models/index.ts";
import { configurationPage, documentedKeys } from "./configuration-page.ts";

const PAGE = join(import.meta.dirname, "../../../docs/configuration-reference.md");

const SRC = join(import.meta.dirname, "../../../src");

test("docs/configuration-reference.md has every key as the schema has it now", () => {
  const page = configurationPage();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, "utf8")).toBe(page);
});

test("the keys of `display` are those that clients can set", () => {
  const settings = readFileSync(join(SRC, "rpc/handlers/settings/display-settings.ts"), "utf8");
  const screen = readFileSync(join(SRC, "tui/state/display-settings.ts"), "utf8");
  const set = [...settings.matchAll(/"((?:tui|busy|tool|details|thinking)_[a-z_]+)"/g)].map(
    ([, key = ""]) => key,
  );
  const read = [...screen.matchAll(/display\["([a-z_]+)"\]/g)].map(([, key = ""]) => key);
  const known = documentedKeys().map(({ path }) => `${path}.`);
  expect(set.length + read.length).toBeGreaterThan(12);
  expect(
    [...set, ...read].filter((key) => !known.some((path) => path.startsWith(`display.${key}.`))),
  ).toEqual([]);
});

test("each key has its meaning, its default and an example that the configuration takes", () => {
  const keys = documentedKeys();
  expect(keys.length).toBeGreaterThan(120);
  for (const { path, about, otherwise, example } of keys) {
    expect(about, path).toMatch(/[A-Za-z`].+\.$/);
    expect(otherwise, path).not.toBe("");
    expect(example, path).toBeDefined();
    if (path.startsWith("mcp_servers.")) continue;
    const names = path.replaceAll("<name>", "mine").replace("<platform>", "telegram").split(".");
    const values = names.reduceRight<unknown>((value, name) => ({ [name]: value }), example);
    expect(() => checkConfig(values as Record<string, unknown>, "config.yaml"), path).not.toThrow();
    if (names[0] === "model")
      expect(() => parseModelsConfig((values as { model: unknown }).model), path).not.toThrow();
  }
});
