import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Machine } from "../machine.ts";
import type { SpawnedChild } from "../spawn/child.ts";
import type { Spawner } from "../spawn/spawner.ts";
import { openSandbox } from "./open-sandbox.ts";
import type { SandboxEngine, SandboxPolicy } from "./policy.ts";
import type { Sandbox } from "./port.ts";

/** A kind of escape that is tried. */
export type EscapeKind =
  | "write_outside"
  | "read_secret"
  | "reach_machine"
  | "reach_unlisted"
  | "signal_outside";

/** One escape that was really tried, and what came of it. */
export interface EscapeTry {
  readonly kind: EscapeKind;
  /** The wall held. */
  readonly held: boolean;
  /** What was tried and seen, a sentence. */
  readonly told: string;
}

/** The proof of a sandbox: it holds only if every escape was tried and none went through. */
export interface SandboxTest {
  readonly holds: boolean;
  readonly tries: readonly EscapeTry[];
  /** Milliseconds. */
  readonly took: number;
}

/** The tools of the test. */
export interface SandboxTestTools {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly spawner: Spawner;
}

const PATIENCE_MS = 10_000;
/** Said at its end: without it, nothing was tried. */
const DONE = "all was tried";

/** Connects to a place, and through the proxy to another; Perl is what most systems have. */
const CONNECT = {
  perl: String.raw`perl -e 'for(@ARGV){my($h,$p)=split/:/;socket(my $s,2,1,0);connect($s,pack("Sna4x8",2,$p,pack("C4",split/\./,$h)))and syswrite $s,"CONNECT $ENV{TO} HTTP/1.1\r\nHost: x\r\n\r\n"and sysread $s,my $t,400}' "$@"`,
  python3: String.raw`python3 -S -c '
import os,socket,sys
for a in sys.argv[1:]:
 h,p=a.split(":")
 try:
  s=socket.create_connection((h,int(p)),2);s.sendall(("CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n"%os.environ["TO"]).encode());s.recv(400)
 except OSError:pass
' "$@"`,
  node: String.raw`node -e 'for(const a of process.argv.slice(1)){const[host,port]=a.split(":");const s=require("net").connect({host,port});s.on("error",()=>0);s.write("CONNECT "+process.env.TO+" HTTP/1.1\r\nHost: x\r\n\r\n");s.on("data",()=>s.destroy());setTimeout(()=>s.destroy(),1000).unref()}' "$@"`,
  nc: String.raw`for a in "$@"; do printf 'CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n' "$TO" | nc -w 2 "\${a%:*}" "\${a##*:}"; done`.replaceAll(
    "\\$",
    "$",
  ),
  bash: String.raw`bash -c 'for a in "$@"; do exec 3<>"/dev/tcp/\${a%:*}/\${a##*:}" && printf "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" "$TO" >&3 && head -c 400 <&3; done' bash "$@"`.replaceAll(
    "\\$",
    "$",
  ),
} as const;

/**
 * Opens a sandbox as a policy describes it, and tries to get out of it: writes outside, reads a secret in the agent's home,
 * reaches this machine and, through the way out, a host that is not on the list, signals a process outside. Each is judged
 * from outside.
 */
export async function testSandbox(
  engine: SandboxEngine,
  policy: SandboxPolicy,
  tools: SandboxTestTools,
): Promise<SandboxTest> {
  return await inTestSandbox(engine, { policy, tools }, async (places) => {
    const interpreter = places.sandbox.interpreter ?? interpreterOf(engine);
    if (interpreter === undefined) throw new HostError("tool_failed", NO_INTERPRETER);
    return await tryEscapes({ ...places, interpreter }, tools);
  });
}

/** Whether a program starts in a sandbox as a policy describes it; says nothing of whether the walls hold. */
export async function startsInside(
  engine: SandboxEngine,
  policy: SandboxPolicy,
  tools: SandboxTestTools,
): Promise<boolean> {
  try {
    return await inTestSandbox(engine, { policy, tools }, async ({ root, sandbox }) => {
      const attempt = await start(tools, { script: `echo ${DONE}`, cwd: root, sandbox });
      const { code } = await attempt.child.exited;
      return code === 0 && attempt.text().trim() === DONE;
    });
  } catch {
    return false;
  }
}

interface TestParts {
  readonly policy: SandboxPolicy;
  readonly tools: SandboxTestTools;
}

/** Opens a sandbox on a workspace of its own, without hosts, for as long as `run` takes. */
async function inTestSandbox<T>(
  engine: SandboxEngine,
  { policy, tools }: TestParts,
  run: (places: Omit<EscapePlaces, "interpreter"> & { readonly sandbox: Sandbox }) => Promise<T>,
): Promise<T> {
  const { onUnlisted: _nobody, ...walls } = policy;
  const outside = await realpath(policy.tempDir);
  const root = await mkdtemp(join(outside, "agent-sandbox-test-"));
  try {
    const opened = await openSandbox(engine, { ...walls, roots: [root], hosts: [] }, tools);
    if (!opened.available) throw new HostError("tool_failed", `${opened.reason} ${opened.advice}`);
    await using sandbox = opened.sandbox;
    return await run({ root, outside, secretIn: policy.apart[0] ?? outside, sandbox });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const interpreterOf = (engine: SandboxEngine): keyof typeof CONNECT | undefined => {
  switch (engine.kind) {
    case "bubblewrap":
      return engine.first.name;
    case "seatbelt":
      return "perl";
    case "container":
      return undefined;
  }
};

const NO_INTERPRETER =
  "the image has none of perl, python3, node, nc and bash with which its network could be tried; choose another one";

/** The places of one test. */
export interface EscapePlaces {
  /** The workspace. */
  readonly root: string;
  /** A folder that must not be written. */
  readonly outside: string;
  /** A folder that must not be read. */
  readonly secretIn: string;
  readonly interpreter: keyof typeof CONNECT;
  readonly sandbox: Sandbox | undefined;
}

/** Tries the escapes from inside a sandbox; without one, from where there are no walls, which shows that they would work. */
export async function tryEscapes(places: EscapePlaces, tools: SandboxTestTools): Promise<SandboxTest> {
  const started = tools.clock.monotonic();
  await using stack = new AsyncDisposableStack();
  const id = randomUUID();
  const written = join(places.outside, `agent-sandbox-out-${id}`);
  const secret = join(places.secretIn, `.sandbox-canary-${id}`);
  stack.defer(async () => {
    await Promise.all([written, secret].map((path) => rm(path, { force: true })));
  });
  const canary = `canary ${id}`;
  await writeFile(secret, canary, { mode: 0o600 });
  const [machine, unlisted] = [stack.use(await listen()), stack.use(await listen())];
  const victim = await start(tools, { script: "exec sleep 60", cwd: places.root });
  stack.defer(() => victim.child.kill());
  const far = `127.0.0.1:${unlisted.port}`;
  const way = places.sandbox === undefined ? far : `127.0.0.1:${places.sandbox.proxyPort}`;
  const attempt = await start(tools, {
    script: `echo out > "$WRITTEN"; cat "$SECRET"; kill -USR1 "$VICTIM"; ${CONNECT[places.interpreter]}; echo ${DONE}`,
    args: [`127.0.0.1:${machine.port}`, way],
    cwd: places.root,
    env: { WRITTEN: written, SECRET: secret, VICTIM: String(victim.child.pid), TO: far },
    sandbox: places.sandbox,
  });
  await attempt.child.exited;
  // One that was ended lives on, for the system, until it is waited for: only how it ended tells.
  await victim.child.kill();
  const end = await victim.child.exited;
  const wrote = await readFile(written).catch(() => undefined);
  const output = attempt.text();
  const tries: readonly EscapeTry[] = [
    { kind: "write_outside", held: wrote === undefined, told: `written ${written}` },
    { kind: "read_secret", held: !output.includes(canary), told: "read a file in the agent's home" },
    { kind: "reach_machine", held: machine.reached() === 0, told: "connected to a port of this machine" },
    {
      kind: "reach_unlisted",
      held: unlisted.reached() === 0,
      told: "reached an address that is not on the list",
    },
    { kind: "signal_outside", held: end.signal !== "SIGUSR1", told: "ended a process outside" },
  ];
  // What was not tried has proved nothing.
  const isDone = output.includes(DONE);
  const judged = tries.map(({ kind, held, told }) => ({
    kind,
    held: held && isDone,
    told: isDone
      ? `A command inside ${held ? "could not have" : "has"} ${told}.`
      : `Nothing could be tried: ${said(output)}.`,
  }));
  return { holds: judged.every(({ held }) => held), tries: judged, took: tools.clock.monotonic() - started };
}

const said = (output: string): string => output.trim().split("\n").at(-1)?.slice(0, 200) || "it said nothing";

interface Listener extends AsyncDisposable {
  readonly port: number;
  reached(): number;
}

/** A port of this machine that counts who comes. */
async function listen(): Promise<Listener> {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.on("error", () => socket.destroy());
    socket.resume();
    socket.end("reached");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    reached: () => reached,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Attempt {
  readonly script: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: Sandbox | undefined;
}

async function start(
  { spawner }: SandboxTestTools,
  { script, args = [], ...rest }: Attempt,
): Promise<{ readonly child: SpawnedChild; text(): string }> {
  let text = "";
  const child = await spawner.spawn({
    file: "/bin/sh",
    args: ["-c", script, "sh", ...args],
    label: "the test of the sandbox",
    session: "",
    signal: AbortSignal.timeout(PATIENCE_MS),
    output: (chunk) => void (text += Buffer.from(chunk).toString()),
    ...rest,
  });
  return { child, text: () => text };
}
