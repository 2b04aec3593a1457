import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Builds the package when its source is newer: tests that start the command, and examples, run what users get. The
 * program's build empties `dist`, so that the pages are built after it.
 */
export function setup(): void {
  if (timeOf("dist/loading.cjs") < newestOf("{src,test/kit}/**/*.ts*")) run("rolldown", "-c");
  if (timeOf("dist/web/index.html") < newestOf("web/{src,public}/**/*", "web/*.{html,ts}"))
    run("vite", "build", "-c", "web/vite.config.ts", "--logLevel", "error");
}

const newestOf = (...files: readonly string[]): number =>
  Math.max(...globSync([...files], { cwd: root }).map(timeOf));

const timeOf = (file: string): number => statSync(`${root}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const run = (program: string, ...args: readonly string[]): void =>
  void execFileSync(process.execPath, [`${root}node_modules/.bin/${program}`, ...args], {
    cwd: root,
    stdio: "pipe",
    // Vitest sets another one, with which the pages would be those of a developer, half as large again.
    env: { ...process.env, NODE_ENV: "production" },
  });
