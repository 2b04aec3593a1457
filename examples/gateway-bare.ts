/** The same with nothing but a WebSocket: the whole protocol is JSON-RPC, one object a message. */
import { WebSocket } from "ws";

const token = process.env["AGENT_GATEWAY_TOKEN"] ?? "";
const [address = "ws://127.0.0.1:8645/api/ws", prompt = "count to 5"] = process.argv.slice(2);

interface Frame {
  readonly id?: string;
  readonly result?: { readonly session_id: string };
  readonly error?: { readonly message: string };
  readonly params?: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> };
}

const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
const ask = (id: string, method: string, params: object): void =>
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));

socket.on("message", (data: Buffer) => {
  const { id, result, error, params } = JSON.parse(data.toString()) as Frame;
  if (error !== undefined) throw new Error(error.message);
  if (id === "create") ask("prompt", "prompt.submit", { session_id: result?.session_id, text: prompt });
  if (params?.type === "gateway.ready") ask("create", "session.create", {});
  if (params?.type === "message.delta") process.stdout.write(String(params.payload["text"]));
  if (params?.type === "message.complete") {
    console.log(`\n${String(params.payload["status"])}`);
    socket.close();
  }
});
