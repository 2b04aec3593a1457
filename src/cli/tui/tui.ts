import { type Connect, GatewayClient } from "../../rpc/client/index.ts";
import type { TuiOptions } from "../../tui/run-tui.tsx";
import { homePaths } from "../../app/config/home.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { type Io, write } from "../../app/process/io.ts";
import { ClientProcess, firstSession } from "./client-process.ts";
import { editOutside } from "./edit-outside.ts";
import { homeDrafts } from "./home-drafts.ts";
import { guardTerminal } from "./terminal-guard.ts";

/** Whether the client can draw on this terminal. */
export function canDraw({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

/** `agent` on a terminal: the client, on a gateway in this process or on one elsewhere. */
export async function tui(io: Io, flags: ChatFlags): Promise<number> {
  await using life = new ClientProcess(io);
  using guard = new DisposableStack();
  guard.defer(guardTerminal(io));
  const connect = await life.connect(flags);
  const { runTui } = await import("../../tui/run-tui.tsx");
  const session = await runTui(optionsOf(io, flags, { connect, signal: life.signal }));
  life.check();
  const where = flags.attach === undefined ? "" : " --attach …";
  if (session !== undefined) await write(io.stdout, `Go on with: agent${where} --session ${session}\n`);
  return life.code;
}

function optionsOf(
  io: Io,
  flags: ChatFlags,
  { connect, signal }: { readonly connect: Connect; readonly signal: AbortSignal },
): TuiOptions {
  const { home } = homePaths(io.env, io.cwd);
  return {
    gateway: () => new GatewayClient({ connect, clientId: `tui-${io.pid}` }),
    stdin: io.stdin,
    stdout: io.stdout,
    env: io.env,
    home: io.env["HOME"] ?? "",
    drafts: homeDrafts(home),
    session: firstSession(io, flags),
    edit: (text) => editOutside(text, io.env),
    signal,
  };
}
