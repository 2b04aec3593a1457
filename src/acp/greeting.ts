import type { InitializeRequest } from "@agentclientprotocol/sdk/unstable";
import { type InputLine, LineSplitter, readMessage } from "../jsonrpc/index.ts";
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
  { input, write }: AcpTransport,
  { version }: { readonly version: string },
): Promise<AcpTransport> {
  const bytes = input[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  const rest = { write, input: continued(read, bytes) };
  const splitter = new LineSplitter(LONGEST);
  let line: InputLine | undefined;
  while (line === undefined && !splitter.overlong) {
    const next = await bytes.next();
    if (next.done === true) break;
    read.push(next.value);
    [line] = splitter.push(next.value);
  }
  const first = line?.type === "line" ? plainInitialize(line.text) : undefined;
  if (first === undefined) return { ...rest, isGreeted: false };
  const result = initializeAnswer(capabilitiesOf(first.params), { version, mcp: true });
  await write(`${JSON.stringify({ jsonrpc: "2.0", id: first.id, result })}\n`);
  return { ...rest, isGreeted: true };
}

async function* continued(
  read: Uint8Array[],
  bytes: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* read.splice(0);
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) yield next.value;
  } finally {
    await bytes.return?.();
  }
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
