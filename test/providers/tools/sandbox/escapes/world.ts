import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmod, mkdir, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { scratch, type Scratch } from "../../scratch.ts";

/** A machine's worth of things to reach: secrets, folders, listeners, a process. There is one inside and one for controls. */
export interface World extends AsyncDisposable {
  readonly dir: Scratch;
  readonly env: Readonly<Record<string, string>>;
  /** The names of escapes that a listener heard of. */
  readonly heard: ReadonlySet<string>;
  readonly victim: ChildProcess;
}

const CANARY = "canary";

export async function world(mark: string): Promise<World> {
  const stack = new AsyncDisposableStack();
  const dir = stack.use(await scratch());
  await dir.write(Object.fromEntries(SECRETS.map((name) => [name, `${CANARY} of ${name}\n`])));
  await dir.write(Object.fromEntries(KEPT.map((name) => [`ws/${name}`, "as it was\n"])));
  await dir.write({
    "out/.keep": "",
    "tmp/.keep": "",
    "ws/repo/a": "a",
    "person/.bashrc": "",
    "agent/config.yaml": "",
  });
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd: dir.at("ws/repo"), stdio: "ignore" });
  git("init", "-q");
  git("add", "a");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a");
  const heard = new Set<string>();
  const hear = (data: Buffer): void => {
    for (const [name] of data.toString("latin1").matchAll(/\bescape-\d+\b/g)) heard.add(name);
  };
  const listen = async (...where: readonly [string | number, string?]): Promise<string> => {
    const server = createServer((socket) => {
      socket.on("data", hear);
      socket.on("error", () => socket.destroy());
    });
    const [at, host] = where;
    if (typeof at === "number") server.listen(at, host);
    else server.listen(at);
    await once(server, "listening");
    stack.defer(() => void server.close());
    const address = server.address();
    return typeof address === "object" && address !== null ? String(address.port) : "";
  };
  const udp = createSocket("udp4");
  udp.on("message", hear);
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", () => resolve()));
  stack.defer(() => void udp.close());
  const [TCP, TCP6] = [await listen(0, "::"), await listen(0, "::1")];
  await listen(dir.at("socket"));
  await listen(dir.at("ws/door"));
  await listen(`\0${mark}`);
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", dir.at("ws/pipe")]);
  const pipe = spawn("sh", ["-c", 'exec 3<>"$1"; exec cat <&3', "sh", dir.at("ws/pipe")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  pipe.stdout?.on("data", hear);
  stack.defer(() => void pipe.kill("SIGKILL"));
  const victim = spawn("sleep", ["1000"], { detached: true, stdio: "ignore", argv0: `victim-${mark}` });
  stack.defer(() => void victim.kill("SIGKILL"));
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const OWN = own.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
  return {
    dir,
    heard,
    victim,
    env: {
      MARK: mark,
      TCP,
      TCP6,
      UDP: String(udp.address().port),
      OWN,
      VICTIM: String(victim.pid),
      ABSTRACT: mark,
      AGENT: dir.at("agent"),
      PERSON: dir.at("person"),
      STRANGER: dir.at("stranger"),
      OUT: dir.at("out"),
      WS: dir.at("ws"),
      SOCKET: dir.at("socket"),
      SESSIONS: dir.at("tmp"),
    },
    async [Symbol.asyncDispose]() {
      for (const name of await readdir(dir.path))
        await chmod(join(dir.path, name), 0o700).catch(() => undefined);
      await stack.disposeAsync();
    },
  };
}

export const KEPT = [
  ".github/workflows/ci.yml",
  ".envrc",
  ".vscode/tasks.json",
  ".husky/pre-commit",
  "AGENTS.md",
];

const SECRETS = [
  "agent/secret",
  ...[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/gcloud/credentials.db",
    ".gnupg/private.key",
    ".netrc",
  ].map((name) => `person/${name}`),
  ...[".docker/config.json", ".kube/config", ".bash_history", ".local/share/keyrings/login.keyring"].map(
    (name) => `person/${name}`,
  ),
  "stranger/diary",
  ...[".env", "deep/er/.env.production", "keys/server.pem", "deep/.ssh/id_rsa"].map((name) => `ws/${name}`),
];

/** One script of all escapes: each leaves what it said in a file of the workspace. */
export function scriptOf(scripts: readonly string[]): string {
  const each = scripts.map((script, index) =>
    [
      `cat > "$WS/.log/${index}.sh" <<'ESCAPE-END'`,
      script,
      "ESCAPE-END",
      `N=escape-${index} timeout -s KILL 8 bash "$WS/.log/${index}.sh" > "$WS/.log/${index}" 2>&1 < /dev/null`,
    ].join("\n"),
  );
  return ['mkdir -p "$WS/.log"; cd "$WS"; umask 022', ...each, "echo all was tried"].join("\n");
}

/** What each escape said. */
export const saidIn = (dir: Scratch, count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      readFile(dir.at(`ws/.log/${index}`), "latin1").catch(() => ""),
    ),
  );

/** Makes a folder that the log needs, before the walls stand. */
export const makeLog = (dir: Scratch): Promise<string | undefined> =>
  mkdir(dir.at("ws/.log"), { recursive: true });
