import type { Readable, Writable } from "node:stream";
import { LineSplitter } from "../../jsonrpc/index.ts";
import { LARGEST_MESSAGE } from "../wire.ts";
import type { Connect, ClientTransport, TransportListener } from "./transport.ts";

/** The way to a gateway on two byte streams: what it writes, and what it reads. */
export function streams(output: Readable, input: Writable): Connect {
  return (listener) => Promise.resolve(streamTransport({ output, input, listener }));
}

/** A transport on two streams; it ends with either of them. */
export function streamTransport({
  output,
  input,
  listener,
}: {
  readonly output: Readable;
  readonly input: Writable;
  readonly listener: TransportListener;
}): ClientTransport {
  let over = false;
  const end = (reason: string): void => {
    if (over) return;
    over = true;
    listener.closed({ reason, final: false });
  };
  const lines = new LineSplitter(LARGEST_MESSAGE);
  output.on("data", (chunk: Uint8Array) => {
    for (const line of lines.push(chunk)) {
      if (line.type === "too-long") end(`it sent a message of ${line.size} bytes`);
      else if (!over && line.text.trim() !== "") listener.message(line.text);
    }
  });
  output.once("close", () => end("its output ended")).once("error", () => end("its output broke"));
  input.once("error", () => end("its input broke"));
  return {
    send: (message) => void (over || input.write(`${message}\n`)),
    close() {
      end("closed");
      input.end();
    },
  };
}
