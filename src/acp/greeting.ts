import type { Readable } from "node:stream";
import type { InitializeRequest } from "@agentclientprotocol/sdk/unstable";
import { LineSplitter, readMessage } from "../jsonrpc/index.ts";
import { isJsonObject } from "../shared/json/json.ts";
import type { AcpTransport } from "./serve.ts";
import { capabilitiesOf, initializeAnswer } from "./v1/initialize.ts";

/** Bytes that the first message may have; what is longer waits for the rest of the program. */
const LONGEST = 64 * 1024;

/**
 * Answers a client's `initialize` while the rest of the program is loaded: an editor waits for this answer each time it
 * starts. Whatever is not a plain request of version 1 is left to the protocol's own checks. The input that is given
 * back has all bytes, also those that were read.
 */
export async function greet(
  { input, write }: Greetable,
  { version }: { readonly version: string },
): Promise<AcpTransport> {
  const { line, rest } = await firstLine(input);
  const first = line === undefined ? undefined : plainInitialize(line);
  if (first === undefined) return { write, input: rest, isGreeted: false };
  const result = initializeAnswer(capabilitiesOf(first.params), { version, mcp: true });
  await write(`${JSON.stringify({ jsonrpc: "2.0", id: first.id, result })}\n`);
  return { write, input: rest, isGreeted: true };
}

/** A client whose bytes can be put back. */
export interface Greetable extends AcpTransport {
  readonly input: Readable;
}

/** Reads the first line, unless it is very long or does not end, and puts everything back. */
function firstLine(input: Readable): Promise<Beginning> {
  const { promise, resolve, reject } = Promise.withResolvers<Beginning>();
  const splitter = new LineSplitter(LONGEST);
  const read: Uint8Array[] = [];
  const take = (): void => {
    for (let chunk = nextOf(input); chunk !== undefined; chunk = nextOf(input)) {
      read.push(chunk);
      const [line] = splitter.push(chunk);
      if (line === undefined && !splitter.overlong) continue;
      leave();
      input.unshift(Buffer.concat(read));
      return resolve({ rest: input, ...(line?.type === "line" ? { line: line.text } : {}) });
    }
  };
  // Nothing can be put back into a stream that has ended.
  const end = (): void => resolve({ rest: given(read) });
  const leave = (): void => void input.off("readable", take).off("end", end).off("error", reject);
  input.on("readable", take).once("end", end).once("error", reject);
  return promise;
}

/** The first line, and a stream that begins with it. */
interface Beginning {
  readonly line?: string;
  readonly rest: AsyncIterable<Uint8Array>;
}

const nextOf = (input: Readable): Uint8Array | undefined => (input.read() as Uint8Array | null) ?? undefined;

async function* given(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

/** Reads a line that is a request for version 1 of which nothing could be refused. */
function plainInitialize(
  text: string,
): { readonly id: number | string; readonly params: InitializeRequest } | undefined {
  const message = readMessage(text, { version: true });
  if (message.type !== "request" || message.method !== "initialize") return undefined;
  const { id, params } = message;
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  return isPlain(params) ? { id, params } : undefined;
}

/** The parameters that clients send, each of the type that the protocol gives it. */
function isPlain(params: unknown): params is InitializeRequest {
  if (!isJsonObject(params) || params["protocolVersion"] !== 1) return false;
  const { clientInfo, clientCapabilities, protocolVersion: _version, ...others } = params;
  return (
    Object.keys(others).length === 0 &&
    (clientInfo === undefined || isClientInfo(clientInfo)) &&
    (clientCapabilities === undefined || isPlainCapabilities(clientCapabilities))
  );
}

function isClientInfo(info: unknown): boolean {
  if (!isJsonObject(info)) return false;
  const { name, version, title = "", ...others } = info;
  return [name, version, title].every((word) => typeof word === "string") && Object.keys(others).length === 0;
}

function isPlainCapabilities(offered: unknown): boolean {
  if (!isJsonObject(offered)) return false;
  const { fs = {}, auth = {}, terminal = false, _meta = {}, ...others } = offered;
  return (
    hasFlags(fs, ["readTextFile", "writeTextFile"]) &&
    hasFlags(auth, ["terminal"]) &&
    typeof terminal === "boolean" &&
    isJsonObject(_meta) &&
    Object.keys(others).length === 0
  );
}

const hasFlags = (value: unknown, names: readonly string[]): boolean =>
  isJsonObject(value) &&
  Object.entries(value).every(([name, flag]) => names.includes(name) && typeof flag === "boolean");
