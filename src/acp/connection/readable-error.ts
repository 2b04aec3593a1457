import { isJsonObject } from "../../shared/json/json.ts";

/** An error as it stands in a JSON-RPC answer. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const LONGEST_MESSAGE = 1000;

/**
 * An error as clients can show it: one line, the problem named in words instead of a validator's tree, and nothing of
 * what an unexpected failure would tell of the inside.
 */
export function readableError({ code, message, data }: WireError): WireError {
  if (code === INVALID_PARAMS && isJsonObject(data)) {
    const problem = firstProblem(data);
    if (problem !== undefined) return { code, message: oneLine(`Invalid params: ${problem}`) };
  }
  if (code === METHOD_NOT_FOUND && isJsonObject(data) && typeof data["method"] === "string") {
    return { code, message: oneLine(`Method not found: ${data["method"]}`), data };
  }
  if (code === INTERNAL && isJsonObject(data) && Object.keys(data).join() === "details") {
    return { code, message: "Internal error" };
  }
  return { code, message: oneLine(message), ...(data === undefined ? {} : { data }) };
}

/** The first complaint in a validator's tree, with the path to it. */
function firstProblem(tree: Record<string, unknown>, path = ""): string | undefined {
  const { _errors: own, ...children } = tree;
  if (!Array.isArray(own)) return undefined;
  const names = Object.keys(children);
  // Something that may have several forms and has none of them: the complaints of all forms are mixed here.
  if (names.includes("type")) {
    const problem = `it has none of the forms that are allowed; look at its ${names.join(", ")}`;
    return path === "" ? problem : `${path}: ${problem}`;
  }
  for (const [key, child] of Object.entries(children)) {
    const below = isJsonObject(child) ? firstProblem(child, path === "" ? key : `${path}.${key}`) : undefined;
    if (below !== undefined) return below;
  }
  const [complaint] = own.filter((entry) => typeof entry === "string");
  if (complaint === undefined) return undefined;
  return path === "" ? complaint : `${path}: ${complaint}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, " ").trim();
  if (line === "") return "Unknown error";
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE).toWellFormed()}…` : line;
}
