import { type Connect, inProcess } from "../../rpc/client/index.ts";
import type { Agent } from "../../app/compose.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Io } from "../../app/process/io.ts";

/** The way to a gateway in this process, opened with the connection: the first frame does not wait for the store. */
export function embeddedGateway(
  io: Io,
  owner: AsyncDisposableStack,
  opened: (agent: Agent) => void,
): Connect {
  return async (sink, signal) => {
    const [{ RpcGateway }, { openAgent }, { gatewayPorts }] = await Promise.all([
      import("../../rpc/rpc-gateway.ts"),
      import("../../app/compose.ts"),
      import("../../app/rpc/gateway-ports.ts"),
    ]);
    const agent = owner.use(await openAgent(io, { resident: true }));
    opened(agent);
    const gateway = owner.use(new RpcGateway(agent.host, gatewayPorts(io, agent)));
    return await inProcess((wire) => gateway.accept(wire))(sink, signal);
  };
}

/** Tells why a gateway in this process cannot be opened: waiting mends nothing. */
export function reportingFailure(connect: Connect, fail: (thrown: unknown) => void): Connect {
  return (sink, signal) =>
    connect(sink, signal).catch((thrown: unknown) => {
      fail(thrown);
      throw thrown;
    });
}

/** The way to a gateway elsewhere. */
export async function gatewayAt(address: string, { env }: Io): Promise<Connect> {
  const { webSocket } = await import("../../rpc/client/web-socket.ts");
  const token = env["AGENT_GATEWAY_TOKEN"];
  const tokenFrom = `AGENT_GATEWAY_TOKEN ${token === undefined ? "is not set here" : "holds it here"}; \`agent gateway token\` on the gateway's machine shows the right one`;
  return webSocket(address, { tokenFrom, ...defined({ token }) });
}
