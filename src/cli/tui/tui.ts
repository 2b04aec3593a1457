import { type Connect, GatewayClient } from "../../rpc/client/index.ts";
import type { TuiOptions } from "../../tui/run-tui.tsx";
import { homePaths } from "../../app/config/home.ts";
import type { ChatFlags } from "./chat-flags.ts";
import type { Io } from "../../app/process/io.ts";
import { ClientProcess, firstSession } from "./client-process.ts";
import { homeDrafts } from "./home-drafts.ts";
import { homeHistory } from "./home-history.ts";
import { guardTerminal } from "./terminal-guard.ts";

/** Whether the client can draw on this terminal. */
export function canDraw({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

/** `agent` on a terminal: the client, on a gateway in this process or on one elsewhere. */
export async function tui(io: Io, flags: ChatFlags): Promise<number> {
  await using life = new ClientProcess(io, flags, "all");
  const shown = await guarded(io, async (onShown) => {
    const connect = await life.connect();
    // Loaded behind the guard, which must be the first to hear that the process ends.
    const { runTui } = await import("../../tui/run-tui.tsx");
    return await runTui({ ...optionsOf(io, flags, { connect, life }), onShown });
  });
  life.check();
  return await life.leave(shown);
}

/** Runs the client; whatever happens to it, the terminal is given back, with a word how to go on. */
async function guarded<Result>(
  io: Io,
  run: (onShown: (id: string) => void) => Promise<Result>,
): Promise<Result> {
  let shown = "";
  using guard = new DisposableStack();
  guard.defer(guardTerminal(io, () => (shown === "" ? "" : `Go on with: agent --resume ${shown}\r\n`)));
  return await run((id) => {
    shown = id;
  });
}

function optionsOf(
  io: Io,
  flags: ChatFlags,
  { connect, life }: { readonly connect: Connect; readonly life: ClientProcess },
): Omit<TuiOptions, "onShown"> {
  const { home } = homePaths(io.env, io.cwd);
  return {
    gateway: () => new GatewayClient({ connect, clientId: `tui-${io.pid}` }),
    stdin: io.stdin,
    stdout: io.stdout,
    env: io.env,
    home: io.env["HOME"] ?? "",
    drafts: { ...homeHistory(home), ...homeDrafts(home, io) },
    session: firstSession(io, flags),
    edit: (text) => life.edit(text),
    local: life.local,
    signal: life.signal,
  };
}
