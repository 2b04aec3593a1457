import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { openReverseProxy } from "../../../src/deployment/reverse-proxy/index.ts";

/** A request as a server behind the proxy understood it. */
interface Understood {
  readonly line: string;
  readonly headers: string;
  readonly body: string;
}

interface Back extends AsyncDisposable {
  readonly port: number;
  readonly understood: readonly Understood[];
}

/** A server that reads requests as leniently as Node can. */
async function lenientBack(): Promise<Back> {
  const understood: Understood[] = [];
  const server = createHttpServer({ insecureHTTPParser: true }, (request: IncomingMessage, response) => {
    let body = "";
    request.setEncoding("latin1").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const headers = request.rawHeaders.join("\n").toLowerCase();
      understood.push({ line: `${request.method} ${request.url}`, headers, body });
      response.end("ok");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    understood,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A server that takes no body for any method, as some do for GET: what follows the headers is the next request to it,
 * unless it was told that there is none.
 */
async function bodilessBack(): Promise<Back> {
  const understood: Understood[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let over = false;
    socket.on("error", () => socket.destroy());
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      for (let end = text.indexOf("\r\n\r\n"); end >= 0 && !over; end = text.indexOf("\r\n\r\n")) {
        const [line = "", ...headers] = text.slice(0, end).split("\r\n");
        text = text.slice(end + 4);
        understood.push({
          line: line.replace(/ HTTP.*/, ""),
          headers: headers.join("\n").toLowerCase(),
          body: "",
        });
        over = headers.some((header) => /^connection: *close/i.test(header));
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      }
      if (over) socket.end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    understood,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A proxy before a back server. */
async function stage(open: () => Promise<Back>) {
  const back = await open();
  const { port, understood } = back;
  const front = await openReverseProxy({
    host: "127.0.0.1",
    port: 0,
    upstreams: { api_server: port, webhook: port },
    log: () => undefined,
  });
  return {
    /** Sends bytes, and gives the proxy's answers and what the server understood. */
    async attack(bytes: string) {
      const before = understood.length;
      const socket = connect(front.port, "127.0.0.1");
      socket.on("error", () => undefined).write(bytes, "latin1");
      let answers = "";
      socket.setEncoding("latin1").on("data", (text: string) => (answers += text));
      // A question behind it: where the connection still stands, its answer shows that all before was dealt with.
      socket.end(`GET /v1/last HTTP/1.1${CRLF}Host: f${CRLF}Connection: close${CRLF}${CRLF}`);
      await once(socket, "close");
      // Whatever was sent on has arrived by the time in which another request comes through.
      await (await fetch(`${front.url}/v1/after`)).text();
      return { answers, understood: understood.slice(before) };
    },
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await back[Symbol.asyncDispose]();
    },
  };
}

const CRLF = "\r\n";
const HIDDEN = [
  "POST /api/jobs HTTP/1.1",
  "Host: localhost",
  "X-Smuggled: 1",
  "Content-Length: 2",
  "",
  "{}",
].join(CRLF);
const size = (text: string): string => text.length.toString(16);

/** A request with lines of its own, and what follows. */
const request = (lines: readonly string[], body = HIDDEN, start = "POST /v1/ok HTTP/1.1"): string =>
  [start, "Host: f", ...lines, "", body].join(CRLF);

const CHUNKS = `0${CRLF}${CRLF}${HIDDEN}`;
const LENGTH = `Content-Length: ${HIDDEN.length}`;

/** Spellings of the header that some servers take for it and others do not. */
const TRANSFER_ENCODINGS: readonly string[] = [
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding:\tchunked",
  " Transfer-Encoding: chunked",
  "X: x\nTransfer-Encoding: chunked",
  "X: x\rTransfer-Encoding: chunked",
  "X: x\r\n Transfer-Encoding: chunked",
  "Transfer-Encoding\n: chunked",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: gzip, chunked",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  "Transfer-Encoding: cHuNkEd",
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: chunked\u000b",
  "Transfer-Encoding: \u000bchunked",
  "Transfer-Encoding: \u0000chunked",
  "Transfer-Encoding: ch\u0000unked",
  "Transfer-Encoding: chunk",
  "Transfer-Encoding: chu\u00e4nked",
  "Transfer-Encoding:",
  "Transfer-Encoding: ,chunked",
  "Transfer-Encoding: chunked,",
  "Transfer_Encoding: chunked",
  "Transfer Encoding: chunked",
  "Transfer.Encoding: chunked",
  "X-Transfer-Encoding: chunked",
  "\u00a0Transfer-Encoding: chunked",
  "Transfer-Encoding\u0000: chunked",
  "Transfer\u0000-Encoding: chunked",
  "TRANSFER-ENCODING: chunked",
  "tRANSFER-eNCODING: CHUNKED",
];

const CONTENT_LENGTHS: readonly string[] = [
  "Content-Length: 0\r\nContent-Length: 5",
  `Content-Length: 5\r\n${LENGTH}`,
  `Content-Length: ${HIDDEN.length}, ${HIDDEN.length}`,
  `Content-Length: +${HIDDEN.length}`,
  `Content-Length: -${HIDDEN.length}`,
  `Content-Length: 0x${size(HIDDEN)}`,
  `Content-Length: ${HIDDEN.length}a`,
  `Content-Length: 1e2`,
  `Content-Length: ${HIDDEN.length}.0`,
  `Content-Length: ${HIDDEN.length} ${HIDDEN.length}`,
  `Content-Length : ${HIDDEN.length}`,
  ` Content-Length: ${HIDDEN.length}`,
  `X: x\r\n Content-Length: ${HIDDEN.length}`,
  `Content-Length:\r\n ${HIDDEN.length}`,
  `Content_Length: ${HIDDEN.length}`,
  `X: x\nContent-Length: ${HIDDEN.length}`,
  "Content-Length: 18446744073709551616",
  "Content-Length: 18446744073709551617",
  "Content-Length: 9007199254740993",
  "Content-Length:",
  "Content-Length: \u000b5",
];

const named = (name: string): readonly string[] => [
  `Connection: ${name}`,
  `Connection: close, ${name}`,
  `Connection: keep-alive\r\nConnection: ${name}`,
  `Connection: keep-alive,\t${name.toUpperCase()} ,x`,
  `Proxy-Connection: ${name}`,
  `Keep-Alive: ${name}`,
];

const METHODS = ["GET", "DELETE", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "PROPFIND"];

const CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  "CL.TE": [
    request([`Content-Length: ${CHUNKS.length}`, "Transfer-Encoding: chunked"], CHUNKS),
    request(["Transfer-Encoding: chunked", `Content-Length: ${CHUNKS.length}`], CHUNKS),
    request(["Content-Length: 6", "Transfer-Encoding: chunked"], `0${CRLF}${CRLF}G`),
  ],
  "TE.CL": [
    request(
      ["Content-Length: 4", "Transfer-Encoding: chunked"],
      `${size(HIDDEN)}${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    ),
    request(
      ["Content-Length: 0", "Transfer-Encoding: chunked"],
      `${size(HIDDEN)}${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    ),
  ],
  "TE.TE": TRANSFER_ENCODINGS.flatMap((line) => [
    request([line, `Content-Length: ${CHUNKS.length}`], CHUNKS),
    request([`Content-Length: ${CHUNKS.length}`, line], CHUNKS),
    request([line], CHUNKS),
    request([line, "Transfer-Encoding: chunked"], CHUNKS),
    request(["Transfer-Encoding: chunked", line], CHUNKS),
    request([line], CHUNKS, "GET /v1/ok HTTP/1.1"),
    request([line], CHUNKS, "POST /v1/ok HTTP/1.0"),
  ]),
  "CL.0": METHODS.flatMap((method) => [
    request([LENGTH], HIDDEN, `${method} /v1/ok HTTP/1.1`),
    request([LENGTH], HIDDEN, `${method} /webhooks/ok HTTP/1.1`),
    request([LENGTH, "Connection: keep-alive"], HIDDEN, `${method} /v1/ok HTTP/1.0`),
  ]),
  "0.CL": [
    request(["Content-Length: 0"]),
    request([], HIDDEN, "GET /v1/ok HTTP/1.1"),
    request([LENGTH, "Expect: 100-continue"]),
    request([LENGTH, "Expect: y 100-continue"]),
    request([LENGTH, "Expect:\r\n 100-continue"]),
  ],
  lengths: CONTENT_LENGTHS.flatMap((line) =>
    ["POST", "GET"].map((method) => request([line], HIDDEN, `${method} /v1/ok HTTP/1.1`)),
  ),
  chunks: [
    `${size(HIDDEN)};${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `${size(HIDDEN)};a=b\nx${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `${size(HIDDEN)} ${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `0x${size(HIDDEN)}${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `+${size(HIDDEN)}${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `${size(HIDDEN)}\n${HIDDEN}\n0\n\n`,
    `1${CRLF}x${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `1${CRLF}xx${CRLF}0${CRLF}${CRLF}${HIDDEN}`,
    `-1${CRLF}${HIDDEN}`,
    `ffffffffffffffff1${CRLF}${HIDDEN}${CRLF}0${CRLF}${CRLF}`,
    `0${CRLF}Content-Length: 5${CRLF}${CRLF}${HIDDEN}`,
    `0${CRLF}X: y\n\n${HIDDEN}`,
    `${CRLF}0${CRLF}${CRLF}${HIDDEN}`,
  ].map((body) => request(["Transfer-Encoding: chunked"], body)),
  "Connection names framing": [
    "content-length",
    "transfer-encoding",
    "host",
    "content-length, transfer-encoding",
  ].flatMap((name) =>
    named(name).flatMap((line) =>
      ["GET", "DELETE", "OPTIONS", "POST"].flatMap((method) => [
        request([line, LENGTH], HIDDEN, `${method} /v1/ok HTTP/1.1`),
        request([line, "Transfer-Encoding: chunked"], CHUNKS, `${method} /v1/ok HTTP/1.1`),
      ]),
    ),
  ),
  h2c: [
    request(["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk", LENGTH]),
    request(["Connection: Upgrade", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]),
    request(["Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]),
    request(["Connection: HTTP2-Settings", "HTTP2-Settings: AAMAAABk", LENGTH]),
    `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}${HIDDEN}`,
  ],
  upgrades: ["GET", "POST", "DELETE"].flatMap((method) => [
    request(["Connection: Upgrade", "Upgrade: websocket"], HIDDEN, `${method} /v1/ok HTTP/1.1`),
    request(["Connection: Upgrade", "Upgrade: websocket", LENGTH], HIDDEN, `${method} /v1/ok HTTP/1.1`),
    request(
      ["Connection: Upgrade", "Upgrade: websocket", "Transfer-Encoding: chunked"],
      CHUNKS,
      `${method} /v1/ok HTTP/1.1`,
    ),
    request(
      ["Connection: Upgrade, content-length", "Upgrade: websocket", LENGTH],
      HIDDEN,
      `${method} /v1/ok HTTP/1.1`,
    ),
    request(
      ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 777"],
      HIDDEN,
      `${method} /v1/ok HTTP/1.1`,
    ),
  ]),
  heads: [
    request(["Host: other", LENGTH]),
    request(["X: a\r\n b", LENGTH]),
    request(["X: a\r\n\tContent-Length: 0", LENGTH]),
    request(["X: a\rb", LENGTH]),
    request(["X: a\nb: c", LENGTH]),
    request(["X\u0000: a", LENGTH]),
    request([": a", LENGTH]),
    request(["X", LENGTH]),
    request([LENGTH], HIDDEN, "POST /v1/ok HTTP/1.1\r\n"),
    request([LENGTH], HIDDEN, "POST  /v1/ok HTTP/1.1"),
    request([LENGTH], HIDDEN, "POST /v1/ok\tHTTP/1.1"),
    request([LENGTH], HIDDEN, "POST /v1/ok HTTP/1.1 HTTP/1.1"),
    request([LENGTH], HIDDEN, "POST /v1/ok HTTP/1.2"),
    request([LENGTH], HIDDEN, "POST /v1/ok HTTP/0.9"),
    request([], HIDDEN, "GET /v1/ok"),
    request([LENGTH], HIDDEN, "POST /v1/ok%20HTTP/1.1%0d%0aX: HTTP/1.1"),
    `\r\n\r\n${request([LENGTH])}`,
    `POST /v1/ok HTTP/1.1\nHost: f\n${LENGTH}\n\n${HIDDEN}`,
  ],
};

const BACKS = { "as leniently as Node can": lenientBack, "without bodies": bodilessBack };

describe.each(Object.entries(BACKS))("nothing is smuggled to a server that reads %s", (_back, open) => {
  test.each(Object.entries(CATALOGUE))("%s", async (_name, attacks) => {
    await using site = await stage(open);
    const smuggled: unknown[] = [];
    for (const bytes of attacks) {
      const { understood } = await site.attack(bytes);
      const bad = understood.filter(
        ({ line, body }) =>
          !/^[A-Z]+ \/(?:v1|webhooks)\/(?:ok|last|after)$/.test(line) ||
          // The last question must never have become a part of another request.
          (/\/last/.test(body) && !body.startsWith("POST /api/jobs")),
      );
      const sent = understood.filter(({ line }) => line.endsWith("ok"));
      if (bad.length > 0 || sent.length > 1) smuggled.push({ bytes, understood });
    }
    expect(smuggled).toEqual([]);
  });
});

test("a body is framed for every method, as its sender framed it", async () => {
  await using site = await stage(lenientBack);
  for (const method of METHODS.filter((each) => each !== "TRACE")) {
    const plain = await site.attack(request(["Content-Length: 5"], "hello", `${method} /v1/ok HTTP/1.1`));
    const chunked = await site.attack(
      request(
        ["Transfer-Encoding: chunked"],
        `5${CRLF}hello${CRLF}0${CRLF}${CRLF}`,
        `${method} /v1/ok HTTP/1.1`,
      ),
    );
    const bare = await site.attack(request([], "", `${method} /v1/ok HTTP/1.1`));
    const ok = ({ understood }: typeof plain) => understood.find(({ line }) => line === `${method} /v1/ok`);
    expect([method, ok(plain)]).toEqual([method, expect.objectContaining({ body: "hello" })]);
    expect(ok(plain)?.headers).toMatch(/content-length\n5(?:\n|$)/);
    expect(ok(plain)?.headers).not.toContain("transfer-encoding");
    expect([method, ok(chunked)]).toEqual([method, expect.objectContaining({ body: "hello" })]);
    expect(ok(chunked)?.headers).toMatch(/transfer-encoding\nchunked(?:\n|$)/);
    expect([method, ok(bare)]).toEqual([method, expect.objectContaining({ body: "" })]);
    expect(ok(bare)?.headers).not.toContain("transfer-encoding");
  }
});

test("a client that names a framing header in Connection, or sends none that can be read, is refused", async () => {
  await using site = await stage(lenientBack);
  for (const line of [
    "Connection: content-length",
    "Connection: close, Transfer-Encoding",
    "Connection: Host",
  ]) {
    const { answers, understood } = await site.attack(request([line, LENGTH]));
    expect([line, answers.slice(0, 12)]).toEqual([line, "HTTP/1.1 400"]);
    expect(understood.map((each) => each.line)).toEqual(["GET /v1/after"]);
  }
});

test("a body that breaks off ends the request behind the proxy too, and nothing is sent after it there", async () => {
  const ended: string[] = [];
  const server = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined);
    socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
    socket.on("close", () => ended.push(text));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await using front = await openReverseProxy({
    host: "127.0.0.1",
    port: 0,
    upstreams: { api_server: port, webhook: port },
    log: () => undefined,
  });
  const begun = once(server, "connection");
  const client = connect(front.port, "127.0.0.1");
  client.write(`POST /v1/ok HTTP/1.1${CRLF}Host: f${CRLF}Content-Length: 100${CRLF}${CRLF}half`);
  const [socket] = (await begun) as [Socket];
  await once(socket, "data");
  client.destroy();
  await once(socket, "close");
  expect(ended).toHaveLength(1);
  expect(ended[0]).toMatch(/\r\n\r\n(?:half)?$/);
  server.close();
});
