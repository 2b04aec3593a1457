import { type CommandStage, OPEN, type RunningCommand } from "./command.ts";

/** `agent rpc`, one request at a time. */
export function rpcCommand(
  stage: CommandStage,
): (method: string, params: object) => Promise<Record<string, unknown>> {
  const command: RunningCommand = stage.start(["rpc"], { stdin: OPEN });
  let id = 0;
  return async (method, params) => {
    id += 1;
    const wanted = `"id":"${id}"`;
    await command.line((line) => line.includes('"gateway.ready"'));
    command.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: String(id), method, params })}\n`);
    const line = await command.line((each) => each.includes(wanted));
    return JSON.parse(line) as Record<string, unknown>;
  };
}
