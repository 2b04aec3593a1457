import { existsSync, readFileSync } from "node:fs";
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { Launch } from "./launch.ts";

const words = z.array(z.string());

/** A launch in parts. */
const PartsWire = z.object({
  command: z.string().min(1),
  args: words.default([]),
  env: z.record(z.string(), z.string()).default({}),
});

/** A launch as one command line. */
const ArgvWire = z
  .object({ argv: words.min(1) })
  .transform(({ argv: [command = "", ...args] }) => ({ command, args, env: {} }));

/**
 * An editor's file of JSON with comments, as text and as what it says; an empty one is an empty object.
 *
 * @throws HostError `config_invalid` when it is no JSON
 */
export function readEditorFile(file: string): { readonly text: string; readonly value: unknown } {
  const read = readFileSync(file, "utf8");
  const text = read.trim() === "" ? "{}" : read;
  const problems: ParseError[] = [];
  const value: unknown = parse(text, problems, { allowTrailingComma: true });
  const [problem] = problems;
  if (problem === undefined) return { text, value };
  const line = text.slice(0, problem.offset).split("\n").length;
  throw new HostError(
    "config_invalid",
    `${file} is no JSON: ${printParseErrorCode(problem.error)} in line ${line}. Correct it, then run this again.`,
  );
}

/**
 * Reads from an editor's own file the command that starts the agent.
 *
 * @param path - of the member that is this agent's
 * @throws HostError `config_invalid` when the file, or what it says of the agent, is not there or cannot be used
 */
export function launchIn(file: string, path: readonly string[]): Launch {
  const place = `${path.join(" > ")} in ${file}`;
  if (!existsSync(file))
    throw new HostError("config_invalid", `There is no ${file}. Make it with --write instead of --check.`);
  let value: unknown = readEditorFile(file).value;
  for (const key of path)
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  if (value === undefined)
    throw new HostError("config_invalid", `There is no ${place}. Add it with --write instead of --check.`);
  const wire = isJsonObject(value) && "argv" in value ? ArgvWire : PartsWire;
  const launch = wire.safeParse(value);
  if (launch.success) return launch.data;
  const [issue] = launch.error.issues;
  const member = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new HostError(
    "config_invalid",
    `${place} cannot be used: ${member}${issue?.message ?? "it is wrong"}.`,
  );
}
