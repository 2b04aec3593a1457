import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { z } from "zod";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { systemReason } from "../../app/config/home.ts";

/** An answer that is JSON, or what is wrong with it, in words for the model. */
export type Structured =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** A JSON Schema that the answer of a turn must match. */
export interface AnswerSchema {
  /** What the model is told beside the prompt. */
  readonly instructions: string;
  read(answer: string): Structured;
}

/** Problems of one answer that are told. */
const MOST_PROBLEMS = 5;

/**
 * Reads the schema that answers must match.
 *
 * @throws HostError `command_usage` for a file that is none, or says what cannot be checked
 */
export async function answerSchema(file: string, cwd: string): Promise<AnswerSchema> {
  const schema = parseSchema(file, await readSchema(file, cwd));
  const { fromJSONSchema } = await import("zod");
  let checked: z.ZodType;
  try {
    checked = fromJSONSchema(schema);
  } catch (cause) {
    throw new HostError("command_usage", `--schema ${file} cannot be used: ${messageOf(cause)}.`, { cause });
  }
  return {
    instructions: `Your last message must be one JSON value and nothing else: no words around it, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`,
    read(answer) {
      const found = jsonIn(answer);
      if (found === undefined) return { ok: false, problem: "it is not JSON" };
      const result = checked.safeParse(found.value);
      // The answer as it was given: the check may add defaults.
      if (result.success) return { ok: true, value: found.value };
      const problems = result.error.issues
        .slice(0, MOST_PROBLEMS)
        .map(({ path, message }) => `${path.length === 0 ? "the value" : path.join(".")}: ${message}`);
      return { ok: false, problem: problems.join("; ") };
    },
  };
}

async function readSchema(file: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (cause) {
    throw new HostError("command_usage", `--schema ${file} cannot be read: ${systemReason(cause)}.`, {
      cause,
    });
  }
}

function parseSchema(file: string, text: string): Readonly<Record<string, unknown>> {
  const found = parsed(text);
  if (isJsonObject(found?.value)) return found.value;
  throw new HostError(
    "command_usage",
    `--schema ${file} is no JSON Schema: it must hold an object such as {"type": "object", "properties": {…}}.`,
  );
}

/** The JSON of an answer: all of it, without a code fence around it, or from its first bracket to its last. */
function jsonIn(answer: string): { readonly value: unknown } | undefined {
  const fenced = answer
    .trim()
    .replace(/^```\w*\n/, "")
    .replace(/\n```$/, "");
  const start = answer.search(/[{[]/);
  const end = Math.max(answer.lastIndexOf("}"), answer.lastIndexOf("]"));
  const inside = start >= 0 && end > start ? answer.slice(start, end + 1) : undefined;
  for (const text of [answer, fenced, inside]) {
    const found = text === undefined ? undefined : parsed(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, "")) };
  } catch {
    return undefined;
  }
}
