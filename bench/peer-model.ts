import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type AskedCall, type Dialect, dialectOf, geminiEnd } from "./peer-dialects.ts";

/**
 * A model server for agents of all kinds: it answers each request with the same few tokens, in the dialect of its path.
 * `--stamps` makes each token say when it was written, in microseconds of the machine's clock. With `--calls`, it asks for
 * the call that a prompt has as `call:` and base64 of `{"name":…,"arguments":…}`, and answers its result with the tokens.
 * Prints its address as a line of JSON; ends with its standard input.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "3" },
    pace: { type: "string", default: "0" },
    stamps: { type: "boolean", default: false },
    calls: { type: "boolean", default: false },
  },
});
const TOKENS = Number(values.tokens);
const PACE_MS = Number(values.pace);

/** How a prompt asks for a call, and what the dialects write where one has a result. */
const ASKED = /call:([\w+/]+=*)/g;
const RESULT = /"role":\s*"tool"|"function_call_output"|"tool_result"|"functionResponse"/g;

let calls = 0;

/** Gives the call that the newest prompt asks for; `undefined` when its result is there already. */
function askedCall(body: string): AskedCall | undefined {
  const asked = [...body.matchAll(ASKED)].at(-1);
  const answered = [...body.matchAll(RESULT)].at(-1);
  if (asked === undefined || (answered?.index ?? -1) > asked.index) return undefined;
  // What the bench wrote.
  const call = JSON.parse(Buffer.from(asked[1] ?? "", "base64").toString()) as Omit<AskedCall, "id">;
  calls += 1;
  return { ...call, id: `call_${calls}` };
}

const event = (dialect: Dialect, value: object): string => {
  const name = dialect.named && "type" in value ? `event: ${String(value.type)}\n` : "";
  return `${name}data: ${JSON.stringify(value)}\n\n`;
};

async function stream(answer: ServerResponse, dialect: Dialect, call: AskedCall | undefined): Promise<void> {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  const events = (all: readonly object[]): string => all.map((each) => event(dialect, each)).join("");
  const last = dialect.last === undefined ? "" : `data: ${dialect.last}\n\n`;
  if (call !== undefined) return void answer.end(events(dialect.calling(call)) + last);
  let text = events(dialect.begin);
  for (let token = 0; token < TOKENS; token += 1) {
    if (PACE_MS > 0) await pause(PACE_MS);
    text += event(dialect, dialect.text(values.stamps ? `@${process.hrtime.bigint() / 1000n} ` : "word "));
    if (PACE_MS > 0) {
      answer.write(text);
      text = "";
    }
  }
  answer.end(text + events(dialect.end) + last);
}

/** Reads a request. Its text costs time, and is looked at only where somebody may ask for a call. */
async function callOf(request: IncomingMessage): Promise<AskedCall | undefined> {
  if (values.calls) return askedCall((await buffer(request)).toString());
  const { promise, resolve } = Promise.withResolvers<undefined>();
  request.resume().on("end", () => resolve(undefined));
  return await promise;
}

async function answerOne(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const call = await callOf(request);
  if (request.method === "GET")
    return void answer.end(JSON.stringify({ object: "list", data: [{ id: "test-model" }] }));
  if (path.includes("countTokens")) return void answer.end(JSON.stringify({ totalTokens: 10 }));
  if (path.includes(":generateContent")) return void answer.end(JSON.stringify(geminiEnd({ text: "{}" })));
  await stream(answer, dialectOf(path), call);
}

const server = createServer({ noDelay: true }, (request, answer) => void answerOne(request, answer));
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${port}/v1` }));
});
process.stdin.resume().on("end", () => {
  server.closeAllConnections();
  server.close();
});
