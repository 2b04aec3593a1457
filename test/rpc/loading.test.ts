import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** Prints the packages that were loaded after a connection with lines, and after one with headers. */
const PROGRAM = `
import { registerHooks } from "node:module";
import { PassThrough } from "node:stream";
const loaded = new Set();
registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.add(/node_modules\\/(.+?)\\//.exec(found.url)?.[1]); return found; } });
const packages = () => [...loaded].filter(Boolean).sort();
const { serveStream } = await import("./src/rpc/transport/stream.ts");
const served = async (text) => {
  const messages = [];
  const receiver = { message: (text) => messages.push(text), tooLarge() {}, finish: async () => undefined, closed() {} };
  const input = new PassThrough();
  const { ended } = serveStream(() => receiver, { input, output: new PassThrough() });
  input.end(text);
  await ended;
  return messages;
};
const lines = await served('{"id":1}\\n');
const before = packages();
const headers = await served('Content-Length: 8\\r\\n\\r\\n{"id":2}');
console.log(JSON.stringify({ lines, before, headers, after: packages() }));
`;

test("what reads headers is loaded with the first connection that begins with one and not before", async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM]);
  expect(JSON.parse(stdout)).toEqual({
    lines: ['{"id":1}'],
    before: [],
    headers: ['{"id":2}'],
    after: ["vscode-jsonrpc"],
  });
});
