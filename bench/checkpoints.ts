import { appendFileSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainEngine } from "../test/providers/checkpoints/engine-kit.ts";
import { median, report } from "./figures.ts";

/** What the way back costs: looks at a workspace of 20,000 files, and the bytes that a session keeps. */
const FILES = 20_000;
const FOLDERS = 400;
const ROUNDS = 15;
const TURNS = 100;

const top = mkdtempSync(join(tmpdir(), "bench-checkpoints-"));
const [root, home] = [join(top, "work"), join(top, "home")];
const files = makeFiles();

const engine = plainEngine(home);
const change = { session: "s", roots: [root], label: "bench" };
let cursor = 0;

const started = performance.now();
while (!engine.readMore([root]));
report(`first look at ${FILES} files, in the background`, performance.now() - started, { unit: "ms" });
const firstBytes = engine.stored;
// Files that are younger than the clock's step are read once more.
command(() => undefined);

const floor = median(
  Array.from({ length: ROUNDS }, () => timed(() => files.forEach((file) => void lstatSync(file)))),
);
const unchanged = Array.from({ length: ROUNDS }, () => command(() => undefined));
report("before a command, nothing changed", median(unchanged.map(([before]) => before)), {
  unit: "ms",
  floor,
});
report("after a command, nothing changed", median(unchanged.map(([, after]) => after)), {
  unit: "ms",
  floor,
});
const changed = Array.from({ length: ROUNDS }, (_, round) =>
  command(() => files.slice(round * 10, round * 10 + 10).forEach((file) => appendFileSync(file, "more\n"))),
);
report("after a command, 10 files changed", median(changed.map(([, after]) => after)), { unit: "ms", floor });

const before = engine.stored;
for (let turn = 0; turn < TURNS; turn += 1)
  command(() => {
    for (let edit = 0; edit < 3; edit += 1)
      appendFileSync(
        files[(turn * 7 + edit) % 50] ?? "",
        `// edit ${turn}.${edit}\nexport const value = ${turn};\n`,
      );
  });
report(`kept of the workspace`, firstBytes / 1e6, { unit: "MB" });
report(`kept by ${TURNS} turns of 3 edits each`, (engine.stored - before) / 1e6, { unit: "MB" });
const edits = Array.from({ length: ROUNDS }, (_, round) => edit(files[round] ?? ""));
report("before and after one edit of a file tool", median(edits), { unit: "ms" });
engine.close();
rmSync(top, { recursive: true });

function command(work: () => void): readonly [before: number, after: number] {
  cursor += 1;
  let mark: readonly number[] = [];
  const first = timed(() => (mark = engine.before({ ...change, turnId: `t${cursor}`, cursor }, [])));
  work();
  return [first, timed(() => engine.after(mark, false))];
}

function edit(file: string): number {
  cursor += 1;
  let mark: readonly number[] = [];
  const named = { ...change, turnId: `t${cursor}`, cursor, paths: [file] };
  const first = timed(() => (mark = engine.before(named, [])));
  appendFileSync(file, "x\n");
  return first + timed(() => engine.after(mark, false));
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function makeFiles(): readonly string[] {
  const made: string[] = [];
  const text = 'import { thing } from "./thing.ts";\n\nexport const value = thing(42);\n'.repeat(20);
  for (let number = 0; number < FILES; number += 1) {
    const folder = join(root, "src", `part${(number % FOLDERS) % 20}`, `folder${number % FOLDERS}`);
    if (number < FOLDERS) mkdirSync(folder, { recursive: true });
    const file = join(folder, `file${number}.ts`);
    writeFileSync(file, `// ${number}\n${text}`);
    made.push(file);
  }
  return made;
}
