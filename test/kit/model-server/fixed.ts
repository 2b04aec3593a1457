import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface FixedServerOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Text frames of each reply, one token each; 3 by default. */
  readonly tokens?: number;
  /** Into how many writes a reply is cut; 1 by default. */
  readonly writes?: number;
  /** Milliseconds between two writes; 0 by default: the next one follows as soon as the last one is handed over. */
  readonly paceMs?: number;
  /** Each token is its number and the moment at which it is written, such as `7@1234.56 `, one in a write. */
  readonly stamped?: boolean;
  /** The tool that a prompt is answered with; its results are answered with text. */
  readonly tool?: { readonly name: string; readonly arguments: string };
}

export interface FixedServer extends AsyncDisposable {
  readonly url: string;
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * A chat server for measurements: every request gets the same bytes, made beforehand. It knows just enough HTTP for a
 * client that keeps its connection, so that next to nothing of what is measured is its own time.
 */
export async function startFixedServer(options: FixedServerOptions = {}): Promise<FixedServer> {
  const { tool, paceMs = 0, stamped = false, tokens = 3 } = options;
  const text = stamped ? stampedReply(tokens) : textReply(options);
  const call = tool === undefined ? undefined : callReply(tool);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    readRequests(socket, (body) => {
      const reply = call !== undefined && !/"role":"tool"(?![\s\S]*"role":"user")/.test(body) ? call : text;
      return send(socket, reply, paceMs);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(options.port ?? 0, "127.0.0.1", listening.resolve);
  await listening.promise;
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    for (const socket of sockets) socket.destroy();
    await closed.promise;
  };
  return { url, baseUrl: `${url}/v1`, close, [Symbol.asyncDispose]: close };
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const chunk = (delta: unknown, finish: string | null = null): string =>
  frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_767_225_600,
    model: "test-model",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });

const tail = (finish: string, output: number): string =>
  `${chunk({}, finish)}${frame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output } })}data: [DONE]\n\n`;

function textReply({ tokens = 3, writes = 1 }: FixedServerOptions): readonly Buffer[] {
  const frames = Array.from({ length: tokens }, (_, i) => chunk({ content: `t${i % 10} ` }));
  const size = Math.max(1, Math.ceil(frames.length / writes));
  const groups = Array.from({ length: Math.max(1, Math.ceil(frames.length / size)) }, (_, i) =>
    frames.slice(i * size, (i + 1) * size).join(""),
  );
  return encoded(groups, tail("stop", tokens));
}

function callReply({
  name,
  arguments: text,
}: {
  readonly name: string;
  readonly arguments: string;
}): readonly Buffer[] {
  const call = chunk({
    tool_calls: [{ index: 0, id: "call_fixed", type: "function", function: { name, arguments: text } }],
  });
  return encoded([call], tail("tool_calls", 10));
}

/** HTTP chunks, the head in the first and the end in the last. */
function encoded(groups: readonly string[], end: string): readonly Buffer[] {
  return groups.map((group, place) => {
    const isLast = place === groups.length - 1;
    const body = isLast ? group + end : group;
    const size = Buffer.byteLength(body).toString(16);
    return Buffer.from(`${place === 0 ? HEAD : ""}${size}\r\n${body}\r\n${isLast ? "0\r\n\r\n" : ""}`);
  });
}

/** A write, or what makes it when its moment has come. */
type Write = Buffer | (() => string);

async function send(socket: Socket, writes: readonly Write[], paceMs: number): Promise<void> {
  for (const [place, write] of writes.entries()) {
    if (place > 0 && paceMs > 0) await pause(paceMs);
    if (socket.destroyed) return;
    if (!socket.write(typeof write === "function" ? write() : write)) await drained(socket);
  }
}

/** The moment, in milliseconds of a clock that all processes of a machine share. */
export const machineTime = (): number => Number(process.hrtime.bigint() / 10_000n) / 100;

/** Made as it is written: only then is it known when that is. */
function stampedReply(tokens: number): readonly Write[] {
  const [before = "", after = ""] = chunk({ content: "%" }).split("%");
  const inChunk = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
  return Array.from({ length: tokens }, (_, i) => (): string => {
    const said = inChunk(`${before}${i}@${machineTime().toFixed(2)} ${after}`);
    const end = i === tokens - 1 ? `${inChunk(tail("stop", tokens))}0\r\n\r\n` : "";
    return `${i === 0 ? HEAD : ""}${said}${end}`;
  });
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once("drain", resolve);
  socket.once("close", resolve);
  return promise;
}

/** Cuts what arrives into requests with a `content-length`, and answers one after the other. */
function readRequests(socket: Socket, answer: (body: string) => Promise<void>): void {
  let rest: Buffer = Buffer.alloc(0);
  let answering = Promise.resolve();
  socket.on("data", (bytes: Buffer) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const headEnd = rest.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(rest.toString("latin1", 0, headEnd))?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (rest.length < end) return;
      const body = rest.toString("utf8", headEnd + 4, end);
      rest = rest.subarray(end);
      answering = answering.then(() => answer(body));
    }
  });
}
