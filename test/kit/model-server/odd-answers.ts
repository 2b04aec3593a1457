import { gzipSync } from "node:zlib";
import type { Answer } from "./server.ts";
import { write } from "./write.ts";

const STREAM = { "content-type": "text/event-stream" };

/** A gzip stream of `megabytes` that unpack from a thousandth of that: comment lines, or one endless line. */
export function gzipBomb(megabytes: number, content: "comments" | "line" | "document"): Answer {
  const block = {
    comments: ": x\n".repeat(2 ** 18),
    line: "x".repeat(2 ** 20),
    document: " ".repeat(2 ** 20),
  }[content];
  const start = { comments: "", line: "data: ", document: '{"a":"' }[content];
  const [first, packed] = [gzipSync(start), gzipSync(block)];
  return async (response) => {
    response.writeHead(200, { ...STREAM, "content-encoding": "gzip" });
    await write(response, first);
    // Members of a gzip file may follow each other: one packed block serves for all.
    for (let sent = 0; sent < megabytes && !response.destroyed; sent += 1) await write(response, packed);
    response.end();
  };
}

/** Announces more bytes than it sends, and closes. */
export function shortBody(body: string, missing = 100): Answer {
  return (response) => {
    response.writeHead(200, { ...STREAM, "content-length": String(Buffer.byteLength(body) + missing) });
    response.write(body, () => response.socket?.end());
  };
}

/** A stream with exactly these bytes, cut into writes as given. */
export function streamOf(...writes: readonly (string | Uint8Array)[]): Answer {
  return async (response) => {
    response.writeHead(200, STREAM);
    for (const bytes of writes) await write(response, Buffer.from(bytes));
    response.end();
  };
}

/** A stream of `count` tiny text frames in large writes, and its end. */
export function flood(count: number): Answer {
  const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] })}\n\n`;
  const batch = Buffer.from(frame.repeat(1000));
  return async (response) => {
    response.writeHead(200, STREAM);
    for (let sent = 0; sent < count && !response.destroyed; sent += 1000) await write(response, batch);
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
  };
}
