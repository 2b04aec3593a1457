/** A small MCP server on stdio: `add`, `fail`, and `wait` until a file is there. Its first argument is a file for its pid. */
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , pidFile = ""] = process.argv;
if (pidFile !== "") writeFileSync(pidFile, String(process.pid));

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly a?: number; readonly b?: number; readonly file?: string };
    readonly protocolVersion?: string;
  };
}

const tools = [
  {
    name: "add",
    description: "Adds two numbers",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  },
  { name: "fail", description: "Fails", inputSchema: { type: "object" } },
  {
    name: "wait",
    description: "Waits for a file",
    inputSchema: { type: "object", properties: { file: { type: "string" } } },
  },
];

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function call({ name = "", arguments: { a = 0, b = 0 } = {} }: NonNullable<Request["params"]>): object {
  if (name === "add")
    return {
      content: [{ type: "text", text: `the sum is ${a + b}, says ${process.env["WHO"] ?? "nobody"}` }],
    };
  return { content: [{ type: "text", text: "it failed" }], isError: true };
}

/** Answers once the file is there. */
function wait(id: number, file: string): void {
  if (existsSync(file)) send({ id, result: { content: [{ type: "text", text: "the file came" }] } });
  else setTimeout(() => wait(id, file), 20);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line) as Request;
  if (id === undefined) return;
  if (method === "initialize") {
    const { protocolVersion = "2025-06-18" } = params;
    send({
      id,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } },
    });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call" && params.name === "wait") wait(id, params.arguments?.file ?? "");
  else if (method === "tools/call") send({ id, result: call(params) });
  else send({ id, error: { code: -32601, message: "no such method" } });
});
