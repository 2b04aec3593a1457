import { parseArgs } from "node:util";
import { startFixedServer } from "./fixed.ts";

/** Runs a fixed server as a process of its own and prints where it is as one line of JSON. Ends with its standard input. */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    tokens: { type: "string", default: "3" },
    writes: { type: "string", default: "1" },
    pace: { type: "string", default: "0" },
    stamped: { type: "boolean", default: false },
    tool: { type: "string" },
    arguments: { type: "string", default: "{}" },
  },
});

const server = await startFixedServer({
  port: Number(values.port),
  tokens: Number(values.tokens),
  writes: Number(values.writes),
  paceMs: Number(values.pace),
  stamped: values.stamped,
  ...(values.tool === undefined ? {} : { tool: { name: values.tool, arguments: values.arguments } }),
});
console.log(JSON.stringify({ url: server.url, baseUrl: server.baseUrl }));
process.stdin.resume().on("end", () => void server.close());
