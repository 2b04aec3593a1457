import { GatewayClient, inProcess, type Connect } from "../../rpc/client/index.ts";
import type { TuiOptions } from "../../tui/run-tui.tsx";
import { homePaths } from "../config/home.ts";
import { EXIT, type Io, write } from "../io.ts";
import { editOutside } from "../tui/edit-outside.ts";
import { homeKeep } from "../tui/home-keep.ts";
import { guardTerminal } from "../tui/terminal-guard.ts";

export interface TuiFlags {
  readonly session?: string;
  readonly model?: string;
  /** The address of a gateway elsewhere: `ws://…`. */
  readonly attach?: string;
}

/** Whether the client can draw on this terminal. */
export function canDraw({ stdin, stdout, env }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
}

/** `agent` on a terminal: the client, on a gateway in this process or on one elsewhere. */
export async function tui(io: Io, flags: TuiFlags): Promise<number> {
  const ending = new AbortController();
  let code: number = EXIT.completed;
  const unlisten = (["SIGTERM", "SIGHUP"] as const).map((signal) =>
    io.onSignal(signal, () => {
      code = EXIT.terminated;
      ending.abort();
    }),
  );
  const unguard = guardTerminal(io);
  await using embedded = new AsyncDisposableStack();
  let failure: { readonly thrown: unknown } | undefined;
  const fail = (thrown: unknown): void => {
    failure = { thrown };
    ending.abort();
  };
  const { attach } = flags;
  const connect =
    attach === undefined ? orEnd(embeddedGateway(io, embedded), fail) : await gatewayAt(attach, io);
  try {
    const { runTui } = await import("../../tui/run-tui.tsx");
    const session = await runTui(optionsOf(io, { flags, connect, signal: ending.signal }));
    if (failure !== undefined) throw failure.thrown;
    const where = attach === undefined ? "" : " --attach …";
    if (session !== undefined) await write(io.stdout, `Go on with: agent${where} --session ${session}\n`);
    return code;
  } finally {
    unguard();
    for (const off of unlisten) off();
  }
}

function optionsOf(
  io: Io,
  {
    flags,
    connect,
    signal,
  }: { readonly flags: TuiFlags; readonly connect: Connect; readonly signal: AbortSignal },
): TuiOptions {
  const { home } = homePaths(io.env, io.cwd);
  return {
    gateway: () => new GatewayClient({ connect, clientId: `tui-${io.pid}` }),
    stdin: io.stdin,
    stdout: io.stdout,
    env: io.env,
    home: io.env["HOME"] ?? "",
    keep: homeKeep(home),
    session: {
      resume: flags.session,
      model: flags.model,
      // Elsewhere, this machine's folders mean nothing.
      cwd: flags.attach === undefined ? io.cwd : undefined,
    },
    edit: (text) => editOutside(text, io.env),
    signal,
  };
}

/** A gateway in this process, opened with the connection: the first frame does not wait for the store. */
function embeddedGateway(io: Io, owner: AsyncDisposableStack): Connect {
  return async (sink, signal) => {
    const [{ RpcGateway }, { openAgent }, { gatewayPorts }] = await Promise.all([
      import("../../rpc/rpc-gateway.ts"),
      import("../compose.ts"),
      import("../rpc/gateway-ports.ts"),
    ]);
    const agent = owner.use(await openAgent(io, { resident: true }));
    const gateway = owner.use(new RpcGateway(agent.host, gatewayPorts(io, agent)));
    return await inProcess((wire) => gateway.accept(wire))(sink, signal);
  };
}

/** A gateway in this process that cannot be opened ends the client: waiting mends nothing. */
function orEnd(connect: Connect, fail: (thrown: unknown) => void): Connect {
  return (sink, signal) =>
    connect(sink, signal).catch((thrown: unknown) => {
      fail(thrown);
      throw thrown;
    });
}

async function gatewayAt(address: string, { env }: Io): Promise<Connect> {
  const { webSocket } = await import("../../rpc/client/web-socket.ts");
  const token = env["AGENT_GATEWAY_TOKEN"];
  return webSocket(address, token === undefined ? {} : { token });
}
