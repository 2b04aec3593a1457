import { onSignals } from "../../app/process/signals.ts";
import { openAgent } from "../../app/compose.ts";
import { EXIT, type Io } from "../../app/process/io.ts";

/** `agent rpc`: the gateway on the process's own streams. Nothing but the protocol goes to stdout. */
export async function serveStdio(io: Io): Promise<number> {
  const stopped = Promise.withResolvers<number>();
  using listening = new DisposableStack();
  listening.use(
    onSignals(io, ["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
      // A Ctrl+C in the terminal of the client is the client's.
      if (signal !== "SIGINT") stopped.resolve(EXIT.completed);
    }),
  );
  const opening = openAgent(io, { resident: true });
  // The `await` below reports its failure.
  opening.catch(() => undefined);
  // While the store opens in its thread, the code of the protocol is loaded.
  const { RpcGateway, serveStream, gatewayPorts } = await import("../../app/rpc/stdio-gateway.ts");
  await using agent = await opening;
  using gateway = new RpcGateway(agent.host, gatewayPorts(io, agent));
  const connection = serveStream((wire) => gateway.accept(wire), { input: io.stdin, output: io.stdout });
  const code = await Promise.race([stopped.promise, connection.ended.then(() => EXIT.completed)]);
  await agent.host.close();
  await connection.stop();
  return code;
}
