import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Events that are in no log, and so are not printed. */
const LIVE =
  /^(tool\.(generating|progress)|status\.update|subagent\.(spawn_requested|thinking|progress|tool))$/;

test("docs/run-events.md names every event of the log, and no other", () => {
  const declared = globSync("src/core/events/*.ts", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/readonly type: ((?:"[a-z_.]+"(?: \| )?)+)/g)].flatMap(([, names = ""]) =>
      [...names.matchAll(/"([a-z_]+\.[a-z_]+|notice)"/g)].map(([, name = ""]) => name),
    );
  });
  const logged = new Set(declared.filter((name) => !LIVE.test(name)));
  expect(logged.size).toBeGreaterThan(30);
  const page = readFileSync(join(root, "docs/run-events.md"), "utf8");
  const rows = [...page.matchAll(/^\| ((?:`[a-z_.]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([a-z_]+\.[a-z_]+|notice)`/g)].map(([, name = ""]) => name),
  );
  expect(rows.toSorted()).toEqual([...logged].toSorted());
});
