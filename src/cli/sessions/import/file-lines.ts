import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { resolve } from "node:path";
import { parse as parseTolerantly, type ParseError } from "jsonc-parser";
import { systemReason } from "../../../app/config/home.ts";
import type { z } from "zod";
import type { Io } from "../../../app/process/io.ts";
import { type InputLine, LineSplitter } from "../../../jsonrpc/index.ts";
import { HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { parseForeignJson } from "../../../shared/json/json.ts";
import type { FileValue } from "./imported.ts";

/** Bytes of the longest line, and of a whole file, that are read. */
const LONGEST_LINE = 32 * 2 ** 20;
const LARGEST_FILE = 128 * 2 ** 20;

/**
 * Reads the values of a file: one a line, or the one value that all lines make together.
 *
 * @param name - a path, which counts from the folder of the command, or `-` for stdin
 * @throws HostError `invalid_params` with the line, for what cannot be read, is too large or no JSON
 */
export async function fileLines(io: Pick<Io, "stdin" | "cwd">, name: string): Promise<readonly FileValue[]> {
  const texts = await textLines(name === "-" ? io.stdin : createReadStream(resolve(io.cwd, name)), name);
  const [first, second] = texts;
  if (first === undefined) throw new HostError("invalid_params", `${nameOf(name)} is empty.`);
  const isOneValue = second !== undefined && /^\s*[{[]\s*$/.test(first.text);
  if (isOneValue) return [together(texts)];
  return texts.map(({ line, text }) => ({ line, value: parsed(text, line) }));
}

interface TextLine {
  readonly line: number;
  readonly text: string;
}

async function textLines(input: Readable, name: string): Promise<readonly TextLine[]> {
  const splitter = new LineSplitter(LONGEST_LINE);
  const found: TextLine[] = [];
  let line = 0;
  let size = 0;
  const take = (lines: Iterable<InputLine>): void => {
    for (const each of lines) {
      line += 1;
      if (each.type === "too-long") throw tooLarge(`line ${line}`, LONGEST_LINE);
      if (each.text.trim() !== "") found.push({ line, text: each.text });
    }
  };
  try {
    for await (const chunk of input as AsyncIterable<Uint8Array | string>) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > LARGEST_FILE) throw tooLarge(nameOf(name), LARGEST_FILE);
      take(splitter.push(bytes));
      if (splitter.overlong) throw tooLarge(`line ${line + 1}`, LONGEST_LINE);
    }
    take(splitter.end());
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError("invalid_params", `${nameOf(name)} cannot be read: ${systemReason(cause)}.`, {
      cause,
    });
  }
  return found;
}

function parsed(text: string, line: number): unknown {
  try {
    return parseForeignJson(text);
  } catch (cause) {
    const why = messageOf(cause).replace(/\.$/, "");
    // A file that is no JSON from its beginning is of another kind, such as the text that /export writes.
    throw badLine(line, line === 1 ? `${why}. ${IMPORTABLE}` : why, cause);
  }
}

const IMPORTABLE = "In the session, `/export x.json` writes a file that can be imported";

/** A value that stands on several lines. */
function together(texts: readonly TextLine[]): FileValue {
  const text = texts.map((each) => each.text).join("\n");
  try {
    return { line: 1, value: parseForeignJson(text) };
  } catch (cause) {
    const before = text.slice(0, firstFault(text)).split("\n").length;
    throw badLine(texts[before - 1]?.line ?? 1, messageOf(cause).replace(/\.$/, ""), cause);
  }
}

/** The place of the first fault of JSON; the system's own reader does not always tell. */
function firstFault(text: string): number {
  const faults: ParseError[] = [];
  try {
    parseTolerantly(text, faults, { disallowComments: true });
  } catch {
    // It is nested deeper than it can be followed.
  }
  return faults[0]?.offset ?? 0;
}

/** Why a file cannot be imported: where in it, and what is wrong there. Nothing has been kept by then. */
export const badLine = (where: string | number, why: string, cause?: unknown): HostError =>
  new HostError(
    "invalid_params",
    `Nothing was imported: ${typeof where === "number" ? `line ${where}` : where}: ${why}.`,
    { cause },
  );

const tooLarge = (where: string, bytes: number): HostError =>
  badLine(where, `it has more than ${bytes / 2 ** 20} MB`);

const nameOf = (name: string): string => (name === "-" ? "stdin" : name);

/**
 * A value of a file, checked.
 *
 * @throws HostError `invalid_params` with the line, and the first thing that is wrong there
 */
export function checked<Value>(schema: z.ZodType<Value>, value: unknown, line: number): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw badLine(line, `${where}${(issue?.message ?? "it is no event").replace(/\.$/, "")}`, result.error);
}
