import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds the package when its source is newer: tests that start the command, and examples, run what users get. */
export function setup(): void {
  const newest = Math.max(
    ...globSync("{src,test/kit}/**/*.ts*", { cwd: root }).map((file) => statSync(`${root}${file}`).mtimeMs),
  );
  const built = statSync(`${root}dist/cli.js`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built < newest)
    execFileSync(process.execPath, [`${root}node_modules/.bin/rolldown`, "-c"], { cwd: root, stdio: "pipe" });
}
