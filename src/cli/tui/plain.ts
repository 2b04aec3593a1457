import { type Connect, GatewayClient } from "../../rpc/client/index.ts";
import type { FirstSession } from "../../tui/session-controller.ts";
import type { LeftSession } from "../../tui/state/left-session.ts";
import { PlainClient, type PlainEnd } from "../../tui/plain/plain-client.ts";
import type { ChatFlags } from "./chat-flags.ts";
import type { Io } from "../../app/process/io.ts";
import { LineInput } from "../terminal/line-input.ts";
import { ClientProcess, firstSession } from "./client-process.ts";

/** `agent --plain`, and `agent` where nothing can be drawn: the client in plain lines. */
export async function chat(io: Io, flags: ChatFlags): Promise<number> {
  await using life = new ClientProcess(io, flags, "lines");
  const connect = await life.connect();
  const { end, left } = await converse(io, life, { connect, session: firstSession(io, flags) });
  return await life.leave(left, end === "failed");
}

async function converse(
  io: Io,
  life: ClientProcess,
  { connect, session }: { readonly connect: Connect; readonly session: FirstSession },
): Promise<{ readonly end: PlainEnd; readonly left: LeftSession | undefined }> {
  using lines = new LineInput(io, io.stdout);
  await using gateway = new GatewayClient({ connect, clientId: `plain-${io.pid}` });
  const { local, signal } = life;
  const client = new PlainClient({
    gateway,
    lines,
    session: { ...session, source: "cli" },
    local,
    toolsReady: () => life.toolsReady(),
    signal,
  });
  try {
    const end = await client.run();
    return { end, left: lines.isTerminal ? client.left : undefined };
  } catch (thrown) {
    // The error of the gateway in this process says more than the lost connection.
    life.check();
    throw thrown;
  }
}
