import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { greet } from "../../src/acp/greeting.ts";
import { serveAcp } from "../../src/acp/index.ts";
import { scriptedModel } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";

const VERSION = "1.2.3";
const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = (params: unknown, id: unknown = 0): string => line({ id, method: "initialize", params });

const bytesOf = (...pieces: readonly string[]): Readable =>
  Readable.from(pieces.map((piece) => Buffer.from(piece)));

/** Greets a client that sends these pieces; what it got, and all that is left for the agent to read. */
async function greeted(...pieces: readonly string[]) {
  let written = "";
  const write = (text: string): Promise<void> => {
    written += text;
    return Promise.resolve();
  };
  const transport = await greet({ input: bytesOf(...pieces), write }, { version: VERSION });
  const read: Uint8Array[] = [];
  for await (const chunk of transport.input) read.push(chunk);
  return { written, isGreeted: transport.isGreeted, read: Buffer.concat(read).toString() };
}

/** Serves a client that sends these pieces, with or without a greeting before; gives the lines that it gets. */
async function served(ahead: boolean, ...pieces: readonly string[]): Promise<unknown[]> {
  await using host = await hostWith(scriptedModel());
  let written = "";
  const write = (text: string): Promise<void> => {
    written += text;
    return Promise.resolve();
  };
  const plain = { input: bytesOf(...pieces), write };
  await serveAcp(Promise.resolve(host), {
    transport: ahead ? await greet(plain, { version: VERSION }) : plain,
    signal: new AbortController().signal,
    process: {
      version: VERSION,
      readText: () => Promise.resolve(undefined),
      stopProcesses: () => Promise.resolve(0),
      connectMcp: () => undefined,
    },
  });
  return written
    .trim()
    .split("\n")
    .filter((text) => text !== "")
    .map((text): unknown => JSON.parse(text));
}

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const PLAIN = [
  ["nothing but the version", { protocolVersion: 1 }],
  ["an editor's name", { protocolVersion: 1, clientInfo: { name: "zed", title: "Zed", version: "1" } }],
  [
    "capabilities",
    {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: false },
        terminal: true,
        auth: { terminal: true },
        _meta: { terminal_output: true },
      },
    },
  ],
] as const;

const OTHERS = [
  ["a later version", initialize({ protocolVersion: 2, info: { name: "x", version: "1" } })],
  ["no version", initialize({})],
  ["a version that is no number", initialize({ protocolVersion: "1" })],
  ["a name that is no text", initialize({ protocolVersion: 1, clientInfo: { name: 1, version: "1" } })],
  [
    "capabilities of wrong types",
    initialize({ protocolVersion: 1, clientCapabilities: { terminal: "yes" } }),
  ],
  ["capabilities that it does not know", initialize({ protocolVersion: 1, clientCapabilities: { x: {} } })],
  ["another request first", line({ id: 1, method: "session/new", params: {} })],
  [
    "more levels than are taken",
    initialize({ protocolVersion: 1, clientCapabilities: { _meta: nested(70) } }),
  ],
  ["an id that is none", initialize({ protocolVersion: 1 }, { a: 1 })],
  ["no id", line({ method: "initialize", params: { protocolVersion: 1 } })],
  ["no JSON", "hello\n"],
  ["no line", "x".repeat(100_000)],
  ["nothing", ""],
] as const;

describe("a client's first request", () => {
  test.each(PLAIN)(
    "with %s is answered ahead as the protocol's own handler answers it",
    async (_name, params) => {
      const session = line({ id: "s", method: "session/new", params: { cwd: "/tmp", mcpServers: [] } });
      const [ahead, ...others] = await served(true, initialize(params) + session);
      const [plain] = await served(false, initialize(params));
      expect(ahead).toEqual(plain);
      expect(ahead).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
      expect(others.filter((message) => (message as { id?: unknown }).id === 0)).toEqual([]);
      expect(others).toContainEqual(expect.objectContaining({ id: "s", result: expect.anything() }));
    },
  );

  test("leaves every byte for the agent, however they come", async () => {
    const text =
      initialize({ protocolVersion: 1 }, "a") + line({ id: 2, method: "session/list", params: {} });
    for (const at of [0, 1, 20, text.indexOf("\n"), text.indexOf("\n") + 1, text.length - 1]) {
      const { isGreeted, read, written } = await greeted(text.slice(0, at), text.slice(at));
      expect({ isGreeted, read }).toEqual({ isGreeted: true, read: text });
      expect(JSON.parse(written)).toMatchObject({ id: "a" });
    }
  });

  test.each(OTHERS)("with %s is left to the protocol's own checks, whole", async (_name, text) => {
    expect(await greeted(text)).toEqual({ written: "", isGreeted: false, read: text });
  });

  test.each(OTHERS.slice(0, -2))("with %s is answered the same after a greeting", async (_name, text) => {
    expect(await served(true, text)).toEqual(await served(false, text));
  });
});
