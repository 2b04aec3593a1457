import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLIENT_METHODS as V2_METHODS } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { CLIENT_METHODS as V1_METHODS } from "@agentclientprotocol/sdk/unstable";
import { nullsWithin, type Schema, SchemaChecker } from "./json-schema.ts";

export type ProtocolVersion = 1 | 2;

interface Definitions {
  request?: string;
  response?: string;
  notification?: string;
}

/** The SDK's own schema of one version: a checker, and the definition of each method's params or result as it assigns them. */
class VersionSchema {
  readonly checker: SchemaChecker;
  readonly definitions = new Map<string, Definitions>();

  constructor(version: ProtocolVersion) {
    const path = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk"));
    const root = JSON.parse(
      readFileSync(path.replace(/dist\/.*$/, `schema/v${version}/schema.unstable.json`), "utf8"),
    ) as { readonly $defs: Readonly<Record<string, Schema>> };
    this.checker = new SchemaChecker(root);
    for (const [name, schema] of Object.entries(root.$defs)) {
      const method = schema["x-method"];
      if (typeof method !== "string") continue;
      const known = this.definitions.get(method) ?? {};
      if (name.endsWith("Request")) known.request = name;
      if (name.endsWith("Response")) known.response = name;
      if (name.endsWith("Notification")) known.notification = name;
      this.definitions.set(method, known);
    }
  }
}

const SCHEMAS = { 1: new VersionSchema(1), 2: new VersionSchema(2) };
const CLIENT_METHODS = { 1: V1_METHODS, 2: V2_METHODS };

export interface WireMessage {
  readonly jsonrpc?: unknown;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const ROOT = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Lists the problems with a message of the agent's. @param asked - the method whose answer it is */
export function problemsOf(
  message: WireMessage,
  asked: string | undefined,
  version: ProtocolVersion,
): readonly string[] {
  const { checker, definitions } = SCHEMAS[version];
  if (message.jsonrpc !== "2.0") return ["it has no jsonrpc"];
  const unknown = Object.keys(message).filter((key) => !ROOT.has(key));
  if (unknown.length > 0) return [`nothing is called ${unknown.join()} at the root`];
  const { method } = message;
  if (method !== undefined) {
    if (method === "$/cancel_request") return [];
    if (!Object.values<string>(CLIENT_METHODS[version]).includes(method))
      return method.startsWith("_") ? [] : [`a client has no method ${method}`];
    const { request, notification } = definitions.get(method) ?? {};
    const definition = message.id === undefined ? notification : request;
    return definition === undefined
      ? [`${method} is sent in the wrong form`]
      : checker.problems(message.params, definition).map((problem) => `${method} ${problem}`);
  }
  if ((message.result === undefined) === (message.error === undefined))
    return ["an answer has either a result or an error"];
  if (message.error !== undefined) return errorProblems(message.error);
  const response = asked === undefined ? undefined : definitions.get(asked)?.response;
  if (response === undefined) return [];
  return checker.problems(message.result, response).map((problem) => `${asked} ${problem}`);
}

function errorProblems({ code, message, data }: NonNullable<WireMessage["error"]>): readonly string[] {
  const isLine = message !== "" && !/[\r\n]/.test(message);
  const problem = `the error is not one line: ${JSON.stringify(message)}`;
  return [
    ...(Number.isInteger(code) && isLine ? [] : [problem]),
    ...(data === undefined ? [] : nullsWithin(data, "error/data")),
  ];
}
