import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { bareAnswer, type BareRefusal, refuseConnection } from "../../shared/net/bare-answer.ts";

/** Answers a request that no app sees. */
export function refuseRequest(response: ServerResponse, refusal: BareRefusal): void {
  const { body, headers } = bareAnswer(refusal);
  response.writeHead(refusal.status, headers).end(body);
}

export const NO_HOST: BareRefusal = { status: 400, message: "An HTTP/1.1 request needs a Host header." };

/** Answers what Node would answer by itself, in the form that all answers of a server have. */
export function refuseUnreadable(server: Server): void {
  server.on("clientError", refuseGarbage);
  server.on("checkExpectation", ({ headers }, response) => {
    const expected = JSON.stringify((headers.expect ?? "").slice(0, 100));
    refuseRequest(response, { status: 417, message: `This server cannot do what Expect asks: ${expected}.` });
  });
}

/** A connection as Node has it, with the answer that goes out on it now. */
type Connection = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Answers a request that the parser could not read, and closes its connection. */
function refuseGarbage(error: Error & { readonly code?: string }, socket: Connection): void {
  // In the middle of another answer it would be read as part of that.
  // oxlint-disable-next-line no-underscore-dangle -- Node's own name: nothing else tells which of several answers goes out
  const isAnswering = socket._httpMessage?.headersSent === true;
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) return void socket.destroy();
  refuseConnection(socket, GARBAGE[error.code ?? ""] ?? NO_REQUEST);
}

const NO_REQUEST: BareRefusal = { status: 400, message: "This is no HTTP request that can be read." };

const GARBAGE: Readonly<Record<string, BareRefusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The request's headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive." },
  HPE_INVALID_CONTENT_LENGTH: {
    status: 400,
    message: "Content-Length must be a number.",
    code: "invalid_content_length",
  },
  HPE_UNEXPECTED_CONTENT_LENGTH: {
    status: 400,
    message: "Content-Length must come once, and not beside Transfer-Encoding.",
    code: "invalid_content_length",
  },
};
