import { GatewayClient } from "../../rpc/client/index.ts";
import { PlainClient } from "../../tui/plain/plain-client.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { EXIT, type Io } from "../../app/process/io.ts";
import { LineInput } from "../terminal/line-input.ts";
import { ClientProcess, firstSession } from "./client-process.ts";

/** `agent --plain`, and `agent` where nothing can be drawn: the client in plain lines. */
export async function chat(io: Io, flags: ChatFlags): Promise<number> {
  await using life = new ClientProcess(io);
  const connect = await life.connect(flags);
  using lines = new LineInput(io, io.stdout);
  await using gateway = new GatewayClient({ connect, clientId: `plain-${io.pid}` });
  const session = { ...firstSession(io, flags), source: "cli" };
  const client = new PlainClient({ gateway, lines, session, signal: life.signal });
  try {
    const end = await client.run();
    if (end === "failed") return EXIT.failed;
  } catch (thrown) {
    // The error of the gateway in this process says more than the lost connection.
    life.check();
    throw thrown;
  }
  return life.code;
}
