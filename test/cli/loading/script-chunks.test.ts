import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptChunks } from "../../../rolldown.script-chunks.ts";
import { ScriptLoader } from "../../../src/cli/loading/script-loader.ts";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "agent-chunks-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bundles modules, each into a chunk of its own, and gives a loader of the scripts. */
async function bundled(modules: Readonly<Record<string, string>>): Promise<ScriptLoader> {
  const source = mkdtempSync(join(folder, "source-"));
  for (const [name, code] of Object.entries(modules)) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), code);
  }
  const bundle = await rolldown({
    input: { main: join(source, "main.js") },
    plugins: [scriptChunks],
    platform: "node",
    external: [/^node:/, "nowhere"],
    treeshake: false,
    logLevel: "silent",
    preserveEntrySignatures: "allow-extension",
  });
  const dir = mkdtempSync(join(folder, "scripts-"));
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    codeSplitting: {
      groups: [{ name: (id) => (id.endsWith("main.js") ? null : (/\/(\w+)\.js$/.exec(id)?.[1] ?? null)) }],
      includeDependenciesRecursively: false,
    },
  });
  await bundle.close();
  return new ScriptLoader(dir);
}

test("modules that take from one another say the same as scripts", async () => {
  const loader = await bundled({
    "main.js": `
      import { Shape, area as areaOf, sizes, "a name" as named } from "./shapes.js";
      import standard from "./standard.js";
      import * as all from "./shapes.js";
      export { sizes as ownSizes } from "./shapes.js";
      export const shown = { area: areaOf(new Shape(3)), standard: standard(2), named, all: Object.keys(all).length };
      export async function* later() { const { late, here } = await import("./late.js"); yield [late(), here]; }
      export const isStrict = (function () { return this === undefined; })();
      export default sizes.length;
    `,
    "shapes.js": `
      export class Shape { constructor(side) { this.side = side; } }
      export const area = ({ side }) => side ** 2;
      export const sizes = ["kl\u00e9in", "gro\u00df", "\u6f22 \${x}"];
      const odd = "odd"; export { odd as "a name" };
    `,
    "standard.js": "export default function standard(n) { return n * 2; }",
    "late.js":
      "import { sizes } from './shapes.js'; export const late = () => sizes.length; export const here = import.meta.url;",
  });
  const main = (await loader.load("main.cjs")) as Record<string, unknown>;
  expect(main).toMatchObject({
    shown: { area: 9, standard: 4, named: "odd", all: 4 },
    ownSizes: ["kl\u00e9in", "gro\u00df", "\u6f22 ${x}"],
    isStrict: true,
    default: 3,
  });
  const said: unknown[] = [];
  for await (const each of (main["later"] as () => AsyncIterable<unknown>)()) said.push(each);
  expect(said).toEqual([[3, expect.stringMatching(/^file:.*\/late\.cjs$/)]]);
});

test("who takes from a chunk that waits, waits", async () => {
  const loader = await bundled({
    "main.js": `import { text } from "./between.js"; export const length = text.length;`,
    "between.js": `import { sep } from "./waits.js"; export const text = sep + sep;`,
    "waits.js": `const { sep } = await import("node:path"); export { sep };
      if (process.env.NOWHERE) { await import("nowhere"); }`,
  });
  const main = loader.load("main.cjs");
  expect(main).toBeInstanceOf(Promise);
  expect(await main).toEqual({ length: 2 });
});

test("what may change after it was taken cannot be taken", async () => {
  const counter = "export let count = 0; export const add = () => { count += 1; };";
  const main = 'import { count, add } from "./counter.js"; export const added = () => (add(), count);';
  await expect(bundled({ "main.js": main, "counter.js": counter })).rejects.toThrow(
    "main.cjs takes count of counter.cjs, which may change.",
  );
  const loader = await bundled({
    "main.js":
      'import { add } from "./counter.js"; add(); export const later = () => import("./counter.js");',
    "counter.js": counter,
  });
  const { later } = loader.load("main.cjs") as unknown as {
    later: () => Promise<{ count: number; add: () => void }>;
  };
  const taken = await later();
  taken.add();
  expect(taken.count).toBe(2);
});

test("a stack trace names the line of the script, which has ASCII alone", async () => {
  const loader = await bundled({
    "main.js": `export const one = "\u00e9";\nexport function fails() {\n  throw new Error(one);\n}\n`,
  });
  const { fails } = loader.load("main.cjs") as unknown as { fails: () => void };
  const { stack = "" } = Object.assign(new Error("none"), { stack: thrownBy(fails) });
  const [, file = "", line = "0"] = /\((.*main\.cjs):(\d+):/.exec(stack) ?? [];
  const text = readFileSync(file, "utf8");
  expect(text.split("\n")[Number(line) - 1]).toContain("throw new Error(");
  expect(text).toMatch(/^[\0-\u007f]*$/);
  expect(stack).toContain("Error: \u00e9");
});

function thrownBy(work: () => void): string | undefined {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.stack;
  }
  return undefined;
}
