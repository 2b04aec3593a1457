import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import config from "../../rolldown.config.ts";

const root = join(import.meta.dirname, "../..");

/** The names that a package entry exports, each with the file that declares it. */
function exportsOf(entry: string): readonly { readonly name: string; readonly file: string }[] {
  const text = readFileSync(join(root, entry), "utf8");
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";$/gm)].flatMap(
    ([, names = "", path = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== "")
        .map((name) => ({ name, file: join(dirname(entry), path) })),
  );
}

/** `false` for what stands there without a docstring; what is only passed on is looked at where it is declared. */
function isDocumented({ name, file }: { readonly name: string; readonly file: string }): boolean {
  const text = readFileSync(join(root, file), "utf8");
  const declared = new RegExp(
    `^export (?:abstract )?(?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`,
    "m",
  ).exec(text);
  return declared === null || /\*\/\n(?:\/\/ .*\n)?$/.test(text.slice(0, declared.index));
}

test("whatever the package exports says what it is", () => {
  const entries = config
    .flatMap(({ input }) => Object.values(input ?? {}))
    .filter((path) => path.endsWith("/index.ts"));
  expect(entries.length).toBeGreaterThan(10);
  const silent = entries.flatMap((entry) => exportsOf(entry)).filter((each) => !isDocumented(each));
  expect(silent).toEqual([]);
});
