import type { ServerResponse } from "node:http";
import type { Output } from "./faults.ts";

export interface Wire {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when a stall is reached; the answer goes on when it resolves. */
  stall(): Promise<void>;
}

/** Writes outputs; `false` when a fault ended the answer. */
export async function writeOutputs(outputs: readonly Output[], wire: Wire): Promise<boolean> {
  const { response, headers } = wire;
  const { socket } = response;
  let piecemeal = false;
  for (const output of outputs) {
    if (response.destroyed) return false;
    if (output.type === "head") {
      response.writeHead(200, headers);
      response.flushHeaders();
    } else if (output.type === "bytes") {
      for (const bytes of piecemeal ? single(output.bytes) : [output.bytes]) await write(response, bytes);
    } else {
      switch (output.name) {
        case "reset":
          socket?.resetAndDestroy();
          return false;
        case "half-close":
          socket?.end();
          return false;
        case "cut":
          if (!response.headersSent) response.writeHead(200, headers);
          response.end();
          return false;
        case "bad-chunk":
          socket?.write("ZZZZ\r\nnot a chunk\r\n");
          return false;
        case "trickle":
          piecemeal = true;
          break;
        case "stall":
          await wire.stall();
          break;
        default:
          throw new Error(`${output.name} is written as bytes`);
      }
    }
  }
  return true;
}

const single = (bytes: Buffer): readonly Buffer[] =>
  Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));

/** Resolves when the bytes are handed to the system, or when nobody is there to take them. */
export function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.destroyed) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const gone = (): void => resolve();
  response.once("close", gone);
  response.write(bytes, () => {
    response.off("close", gone);
    resolve();
  });
  return promise;
}
