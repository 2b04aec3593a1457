import { glob, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { CONFIG_META } from "../../../src/app/config/block.ts";
import { configFile } from "../../../src/app/config/config-schema.ts";
import { unknownKeys } from "../../../src/app/config/unknown-keys.ts";

/** The keys of a block, with those of blocks below it. */
function keysOf(block: z.ZodObject, above = ""): readonly (readonly [key: string, schema: z.ZodType])[] {
  return Object.entries(block.shape).flatMap(([name, schema]) => {
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    const key = above + name;
    if (inner instanceof z.ZodObject) return keysOf(inner, `${key}.`);
    const read: unknown = CONFIG_META.get(schema as z.ZodType)?.schema;
    const below = read instanceof z.ZodObject ? keysOf(read, `${key}.`) : [];
    return [[key, schema as z.ZodType], ...below];
  });
}

test("one schema has all keys of the configuration, each with its description", () => {
  const keys = new Map(keysOf(configFile()));
  for (const key of ["approvals.mode", "web.search.url", "jobs.idle_timeout", "front.port", "model"])
    expect([...keys.keys()]).toContain(key);
  for (const [key, schema] of keys)
    expect(CONFIG_META.get(schema)?.description ?? schema.description, key).toMatch(/^[A-Z].+\.$/);
});

test("every block that something reads is known: none is called a typing error", async () => {
  const files = await Array.fromAsync(glob("src/**/*.ts"));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const read = texts.flatMap((text) => [...text.matchAll(/values\(\)\["([a-z_]+)"\]/g)]);
  const names = [...new Set(read.map(([, name = ""]) => name))];
  expect(names).toContain("quick_commands");
  expect(unknownKeys(Object.fromEntries(names.map((name) => [name, {}])), configFile())).toEqual([]);
});
