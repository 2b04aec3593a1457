/** The parts of a gateway on two streams. The code for WebSockets is not loaded, so that the first frame comes sooner. */
export { RpcGateway } from "../../rpc/rpc-gateway.ts";
export { serveStream } from "../../rpc/transport/stream.ts";
export { gatewayPorts } from "./gateway-ports.ts";
