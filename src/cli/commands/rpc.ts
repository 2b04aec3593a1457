import { openRpcDocument, RpcGateway, serveStream } from "../../rpc/index.ts";
import { openAgent } from "../compose.ts";
import { EXIT, type Io, write } from "../io.ts";
import { gatewayPorts } from "../rpc/gateway-ports.ts";
import { packageVersion } from "../version.ts";

/** `agent rpc`: the gateway on the process's own streams. Nothing but the protocol goes to stdout. */
export async function serveStdio(io: Io): Promise<number> {
  // Until somebody asks, these are no reason to die in the middle of a write.
  const stopped = Promise.withResolvers<number>();
  const unlisten = [
    io.onSignal("SIGINT", () => undefined),
    io.onSignal("SIGTERM", () => stopped.resolve(EXIT.completed)),
    io.onSignal("SIGHUP", () => stopped.resolve(EXIT.completed)),
  ];
  try {
    await using agent = await openAgent(io, { resident: true });
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

/** `agent rpc --schema`: the protocol as an OpenRPC document. */
export async function printSchema(io: Io): Promise<number> {
  await write(io.stdout, `${JSON.stringify(openRpcDocument(packageVersion()), undefined, 2)}\n`);
  return EXIT.completed;
}
