import { type Connect, inProcess } from "../../rpc/client/index.ts";
import type { Agent } from "../../app/compose.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Io } from "../../app/process/io.ts";
import { setLateFlag } from "../../app/process/late-flags.ts";

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
    return await inProcess((wire) => gateway.accept({ ...wire, attended: true }))(sink, signal);
  };
}

/** The way to a gateway elsewhere. */
export async function gatewayAt(address: string, { env }: Io): Promise<Connect> {
  const { webSocket } = await import("../../rpc/client/web-socket.ts");
  const token = env["AGENT_GATEWAY_TOKEN"];
  const tokenFrom = `AGENT_GATEWAY_TOKEN ${token === undefined ? "is not set here" : "holds it here"}; \`agent gateway token\` on the gateway's machine shows the right one`;
  return webSocket(address, { tokenFrom, ...defined({ token }) });
}

/**
 * Keeps the heap of this process near what is in use, from the first connection on. A client is open all day and
 * mostly waits: left to itself its heap would stand at twice of that after some hundred turns. Not sooner: code that
 * was compiled in an earlier run is taken only while the flags are as they were then.
 */
export const optimizeHeapForSize =
  (connect: Connect): Connect =>
  async (sink, signal) => {
    const link = await connect(sink, signal);
    setLateFlag("size");
    return link;
  };
