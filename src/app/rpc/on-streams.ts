/** What the gateway on two streams needs, without what only WebSockets need: its first frame comes sooner. */
export { RpcGateway } from "../../rpc/rpc-gateway.ts";
export { serveStream } from "../../rpc/transport/stream.ts";
export { gatewayPorts } from "./gateway-ports.ts";
