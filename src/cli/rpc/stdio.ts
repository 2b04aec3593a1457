import { openAgent } from "../../app/compose.ts";
import { EXIT, type Io } from "../../app/process/io.ts";

/** `agent rpc`: the gateway on the process's own streams. Nothing but the protocol goes to stdout. */
export async function serveStdio(io: Io): Promise<number> {
  const stopped = Promise.withResolvers<number>();
  const unlisten = [
    // A Ctrl+C in the terminal of the client is the client's.
    io.onSignal("SIGINT", () => undefined),
    io.onSignal("SIGTERM", () => stopped.resolve(EXIT.completed)),
    io.onSignal("SIGHUP", () => stopped.resolve(EXIT.completed)),
  ];
  try {
    const opening = openAgent(io, { resident: true });
    // Its failure is told below.
    opening.catch(() => undefined);
    // While the store opens in its thread, what speaks the protocol is loaded.
    const { RpcGateway, serveStream, gatewayPorts } = await import("../../app/rpc/stdio-gateway.ts");
    await using agent = await opening;
    using gateway = new RpcGateway(agent.host, gatewayPorts(io, agent));
    const connection = serveStream((wire) => gateway.accept(wire), { input: io.stdin, output: io.stdout });
    const code = await Promise.race([stopped.promise, connection.ended.then(() => EXIT.completed)]);
    await agent.host.close();
    await connection.stop();
    return code;
  } finally {
    for (const off of unlisten) off();
  }
}
