import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "rolldown/utils";

/** Writes a program of `floors/` as plain JavaScript, so that no types are stripped at its start; gives its path. */
export function plainProgram(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, `${name}.mjs`);
  const source = readFileSync(new URL(`./floors/${name}.ts`, import.meta.url), "utf8");
  writeFileSync(file, transformSync(`${name}.ts`, source).code);
  return file;
}
