/** The test's MCP server as a program: its argument is JSON. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type ServerOptions, TestServer } from "../test-server.ts";

const [, , options = "{}"] = process.argv;

const to = (stream: NodeJS.WriteStream) => async (text: string) => {
  if (!stream.write(text)) await once(stream, "drain");
};

const server = new TestServer(JSON.parse(options) as ServerOptions, {
  write: to(process.stdout),
  complain: to(process.stderr),
  die: (code) => process.exit(code),
  note: () => undefined,
  facts: { who: process.env["WHO"], secret: process.env["SECRET_OF_THE_HOST"], cwd: process.cwd() },
});
createInterface({ input: process.stdin }).on("line", (line) => server.take(line));
await server.start();
