import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLIENT_METHODS } from "@agentclientprotocol/sdk/unstable";
import { type Schema, SchemaChecker } from "./json-schema.ts";

const path = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk"));
const root = JSON.parse(
  readFileSync(path.replace(/dist\/.*$/, "schema/v1/schema.unstable.json"), "utf8"),
) as { readonly $defs: Readonly<Record<string, Schema>> };
const checker = new SchemaChecker(root);

/** The definition of each method's params or result, as the schema itself assigns them. */
const definitions = new Map<string, { request?: string; response?: string; notification?: string }>();
for (const [name, schema] of Object.entries(root.$defs)) {
  const method = schema["x-method"];
  if (typeof method !== "string") continue;
  const known = definitions.get(method) ?? {};
  if (name.endsWith("Request")) known.request = name;
  if (name.endsWith("Response")) known.response = name;
  if (name.endsWith("Notification")) known.notification = name;
  definitions.set(method, known);
}

export interface WireMessage {
  readonly jsonrpc?: unknown;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What is wrong with a message of the agent's. `asked`: the method whose answer it is. */
export function problemsOf(message: WireMessage, asked: string | undefined): readonly string[] {
  if (message.jsonrpc !== "2.0") return ["it has no jsonrpc"];
  const { method } = message;
  if (method !== undefined) {
    if (method === "$/cancel_request") return [];
    if (!isClientMethod(method)) return method.startsWith("_") ? [] : [`a client has no method ${method}`];
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

function errorProblems({ code, message }: NonNullable<WireMessage["error"]>): readonly string[] {
  const isLine = message !== "" && !/[\r\n]/.test(message);
  return Number.isInteger(code) && isLine ? [] : [`the error is not one line: ${JSON.stringify(message)}`];
}

const isClientMethod = (method: string): boolean => Object.values<string>(CLIENT_METHODS).includes(method);
