/**
 * JSON-RPC 2.0 over byte streams, once for all surfaces: lines, the envelope of a message, and a writer that keeps the
 * order. It knows no protocol: methods and their parameters belong to whoever imports this.
 */
export { type InputLine, LineSplitter } from "./line-splitter.ts";
export {
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JsonRpcError,
  type JsonRpcMessage,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  readMessage,
  type RequestId,
} from "./message.ts";
export { OrderedWriter, type WriteText } from "./ordered-writer.ts";
export { PacedQueue } from "./paced-queue.ts";
export { SendWindow } from "./send-window.ts";
