import { packageVersion } from "../../app/process/version.ts";
import { printJson } from "../terminal/output.ts";
import type { Io } from "../../app/process/io.ts";
import { LOG_OPTIONS, logChoice } from "../log-options.ts";
import { command, flagOff, optionalValue, SET_OPTION, type Values } from "../command.ts";

const TAKES = {
  listen: optionalValue("[host:port]", "serve it on a WebSocket instead, on 127.0.0.1:8645 by default"),
  ...LOG_OPTIONS,
  set: SET_OPTION,
  schema: flagOff("print the protocol as an OpenRPC document"),
};

/** `agent rpc`. */
export const RPC_COMMAND = command("rpc", "serve the gateway protocol (JSON-RPC) on stdin and stdout", {
  takes: TAKES,
  load: () => Promise.resolve(rpcCommand),
});

async function rpcCommand(io: Io, { schema, listen, ...log }: Values<typeof TAKES>): Promise<number | void> {
  if (schema) {
    const { openRpcDocument } = await import("../../rpc/protocol/open-rpc.ts");
    return await printJson(io, openRpcDocument(packageVersion()));
  }
  if (listen === undefined) return await (await import("./stdio.ts")).serveStdio(io);
  return await (
    await import("./web-socket.ts")
  ).serveSocket(io, listen === true ? "" : listen, logChoice(log));
}
