import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** Prints the packages that are loaded with what every command stands on. */
const PROGRAM = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(found.url)?.[1]); return found; } });
await import("./src/app/compose.ts");
console.log(JSON.stringify([...loaded].filter(Boolean).sort()));
`;

test("what fetches, reads pages and makes images smaller is not loaded before it is used", async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM]);
  const loaded = JSON.parse(stdout) as readonly string[];
  for (const name of ["undici", "linkedom", "turndown", "htmlparser2", "unpdf", "sharp"])
    expect(loaded).not.toContain(name);
});
