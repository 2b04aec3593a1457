import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeContainersOf } from "../../../../src/providers/tools/container/index.ts";
import { SETTINGS, stage, type Stage, type StageOptions } from "./container-stage.ts";
import { type Behaviour, standIn, type StandIn } from "./stand-in.ts";

async function staged(
  behaviour: Behaviour = {},
  { isImpatient = false, ...options }: StageOptions & { readonly isImpatient?: boolean } = {},
): Promise<{ engine: StandIn; on: Stage }> {
  const engine = await standIn(behaviour);
  onTestFinished(() => engine[Symbol.asyncDispose]());
  const on = await stage({
    env: engine.env,
    ...(isImpatient ? { clock: engine.impatient } : {}),
    ...options,
    settings: { engine: "docker", ...options.settings },
  });
  onTestFinished(() => on[Symbol.asyncDispose]());
  return { engine, on };
}

/** Whoever waits only to be buried does not live. */
function lives(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

const options = (call: readonly string[] = []): string => call.join(" ");

test("many commands, one container: it is started once, at the opening, and removed with the session", async () => {
  const { engine, on } = await staged();
  const box = await on.open();
  expect(await engine.calls("run")).toHaveLength(1);
  for (const word of ["one", "two", "three"]) {
    expect((await on.run(box, `echo ${word}`)).text).toBe(`${word}\n`);
  }
  expect(await engine.calls("run")).toHaveLength(1);
  expect(await engine.calls("exec")).toHaveLength(3);
  const [name] = await engine.containers();
  await box[Symbol.asyncDispose]();
  expect(await engine.containers()).toEqual([]);
  expect(await engine.calls("rm")).toEqual([["rm", "--force", name]]);
});

test("first commands that come at once after a container was lost start one container", async () => {
  const { engine, on } = await staged();
  const box = await on.open();
  await removeContainersOf(on.engine.hostId, { commands: on.engine.commands });
  const [name] = await engine.containers();
  await on.engine.commands.run(["rm", "--force", String(name)], 20_000);
  let code: number | null = 1;
  while (code !== 0) ({ code } = (await on.run(box, "true")).exit);
  const before = (await engine.calls("run")).length;
  const texts = await Promise.all([1, 2, 3, 4].map((word) => on.run(box, `echo ${word}`)));
  expect(texts.map(({ text }) => text)).toEqual(["1\n", "2\n", "3\n", "4\n"]);
  expect((await engine.calls("run")).length).toBe(before);
  expect(before).toBe(2);
});

test("two sessions have two containers, and the end of one leaves the other", async () => {
  const { engine, on } = await staged();
  const [first, second] = await Promise.all([on.open(), on.open()]);
  expect(new Set(await engine.containers()).size).toBe(2);
  await first[Symbol.asyncDispose]();
  expect((await on.run(second, "echo here")).text).toBe("here\n");
});

test("walls, limits and mounts are given to the engine", async () => {
  const { engine, on } = await staged({}, { settings: { memory: "3g", cpus: 1.5, pids: 77 } });
  await on.open({ readable: ["/usr/share"] });
  const [call] = await engine.calls("run");
  const text = options(call);
  for (const part of [
    "--rm --interactive",
    `--label agent.host=${on.engine.hostId}`,
    "--init",
    "--network none",
    "--read-only",
    "--cap-drop ALL",
    "--security-opt no-new-privileges",
    "--pull never",
    `--user ${process.getuid?.()}:${process.getgid?.()}`,
    "--memory 3g --memory-swap 3g",
    "--cpus 1.5",
    "--pids-limit 77",
    `--volume ${on.root}:${on.root}:rw`,
    "--volume /usr/share:/usr/share:ro",
    ":/run/agent:ro",
    ":/run/agent-proxy:rw",
    `${SETTINGS.image} /run/agent/stay /run/agent-proxy 3128`,
  ])
    expect(text).toContain(part);
  expect(text).not.toContain(on.dir.at("agent"));
  expect(text).not.toContain(on.dir.at("home"));
  expect(text).not.toContain("docker.sock");
});

test("network none has no way out, and a named network is said to be one", async () => {
  const none = await staged({}, { settings: { network: "none" } });
  const closed = await none.on.open();
  expect(options((await none.engine.calls("run"))[0])).not.toContain("agent-proxy");
  expect((await none.on.run(closed, 'echo "<$HTTP_PROXY$https_proxy>"')).text).toBe("<>\n");
  const named = await staged({}, { settings: { network: "databases" } });
  const open = await named.on.open();
  expect(options((await named.engine.calls("run"))[0])).toContain("--network databases");
  expect(open.gaps.join(" ")).toContain("container.network is databases");
});

test("an engine that cannot bound something is not asked to, and it is told", async () => {
  const info = {
    ServerVersion: "27",
    SecurityOptions: ["name=rootless"],
    MemoryLimit: false,
    PidsLimit: false,
  };
  const { engine, on } = await staged({ info });
  const box = await on.open();
  const text = options((await engine.calls("run"))[0]);
  expect(text).not.toContain("--memory");
  expect(text).not.toContain("--pids-limit");
  expect(text).toContain("--user 0:0");
  expect(box.gaps.join(" ")).toContain("cannot bound the memory");
});

test("variables of commands go in, those of this machine and of the engine do not", async () => {
  const { engine, on } = await staged();
  const box = await on.open();
  const { text } = await on.run(box, 'echo "$MINE|$DOCKER_HOST|$HOME|$TMPDIR"', {
    env: { MINE: "a b\n'c", "odd-name": "x", DOCKER_HOST: "inner" },
  });
  expect(text).toBe("a b\n'c|inner|/home/agent|/tmp\n");
  const [call = []] = await engine.calls("exec");
  expect(call).not.toContain("MINE=a b\n'c");
  expect(options(call)).not.toContain("odd-name");
});

test("an image that is not there is told with the command that gets it", async () => {
  await expect(staged({ images: [] })).rejects.toThrow(
    "The image localhost/agent-test:latest is not here. Get it: docker pull localhost/agent-test:latest",
  );
});

test("an image is fetched when that is wanted, and only once", async () => {
  const { engine } = await staged({ images: [] }, { settings: { pull: "missing" } });
  expect(await engine.calls("pull")).toEqual([["pull", "--quiet", SETTINGS.image]]);
  await expect(
    staged({ images: [], pullFails: "Error: no such registry" }, { settings: { pull: "missing" } }),
  ).rejects.toThrow(/could not be had: Error: no such registry\. Try it in a shell: docker pull/);
});

test("a missing engine is told: one by its name, both for auto", async () => {
  const env = { HOME: "/", PATH: "/nowhere" };
  await expect(stage({ env, settings: { engine: "podman" } })).rejects.toThrow(
    "podman is not installed. Install podman",
  );
  await expect(stage({ env })).rejects.toThrow("neither docker nor podman is installed. Install one of them");
});

test("auto goes on to the engine that answers", async () => {
  const docker = await standIn({ infoFails: "Cannot connect to the Docker daemon." });
  onTestFinished(() => docker[Symbol.asyncDispose]());
  const podman = await standIn(
    {
      version: "podman version 5.0.0\n",
      info: {
        host: { security: { rootless: true }, cgroupVersion: "v2", cgroupControllers: ["memory"] },
        version: { Version: "5.0.0" },
      },
    },
    "podman",
  );
  onTestFinished(() => podman[Symbol.asyncDispose]());
  const env = { HOME: "/", PATH: `${docker.env["PATH"]}:${podman.env["PATH"]}` };
  await using on = await stage({ env });
  expect([on.engine.program, on.engine.version, on.engine.rootless]).toEqual(["podman", "5.0.0", true]);
  expect(on.engine.unbounded).toEqual(["cpus", "pids"]);
  await on.open();
  expect(options((await podman.calls("run"))[0])).toContain("--userns keep-id");
  await expect(stage({ env, settings: { engine: "docker" } })).rejects.toThrow(
    "docker cannot run containers here: Cannot connect to the Docker daemon. Start it",
  );
});

test("a podman that goes by the name of docker is taken for what it is", async () => {
  const info = { host: { security: { rootless: false } }, version: { Version: "4.3.1" } };
  const { on } = await staged({ version: "podman version 4.3.1\n", info });
  expect(on.engine.program).toBe("podman");
});

test("an engine that hangs is given up: when it is asked, at a start, and at a removal", async () => {
  await expect(staged({ hangs: "info" }, { isImpatient: true })).rejects.toThrow(
    /docker does not answer: .* did not end within 15 s/,
  );
  const { engine, on } = await staged({ neverReady: true }, { isImpatient: true });
  await expect(on.open()).rejects.toThrow("it was not ready after 60 s");
  expect(await engine.containers()).toEqual([]);
  await engine.behave({});
  const box = await on.open();
  await engine.behave({ hangs: "rm" });
  await box[Symbol.asyncDispose]();
  // Its input ended, and with it the container.
  expect(await engine.containers()).toEqual([]);
});

test("a start that fails is told in the engine's words", async () => {
  const { on } = await staged({ runFails: "docker: Error response from daemon: no space left." });
  await expect(on.open()).rejects.toThrow(
    "docker could not start a container of localhost/agent-test:latest: docker: Error response from daemon: no space left.",
  );
});

test("cancelling a call ends its processes inside, not only the engine's program", async () => {
  const { on } = await staged();
  const box = await on.open();
  const stop = new AbortController();
  let text = "";
  const { child } = await on.start(box, "sleep 1000 & echo $! $$; wait", {
    signal: stop.signal,
    output(chunk) {
      text += Buffer.from(chunk).toString();
      stop.abort();
    },
  });
  await child.exited;
  await child.kill();
  for (const pid of text.trim().split(" ").map(Number)) {
    expect(pid).toBeGreaterThan(1);
    expect(lives(pid)).toBe(false);
  }
});

test("a call that is ended before it began does not begin", async () => {
  const { on } = await staged();
  const box = await on.open();
  const wrapped = await box.wrap({
    file: "/bin/sh",
    args: ["-c", "echo ran"],
    cwd: on.root,
    base: {},
    env: {},
  });
  await wrapped.end?.();
  const late = spawn(wrapped.file, wrapped.args, {
    cwd: wrapped.cwd,
    env: wrapped.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  late.stdout.on("data", (chunk) => (text += String(chunk)));
  const [code]: unknown[] = await once(late, "close");
  expect([text, code]).toEqual(["", 143]);
});

test("a container that does not end a call is removed, and the next command has a new one", async () => {
  const { engine, on } = await staged({}, { isImpatient: true });
  const box = await on.open();
  const { child } = await on.start(box, "echo on; sleep 1000");
  await engine.behave({ endHangs: true });
  await child.kill();
  await engine.behave({});
  expect((await on.run(box, "echo again")).text).toBe("again\n");
  expect(await engine.calls("run")).toHaveLength(2);
});

test("what a call leaves running ends with it, and its exit code is the command's", async () => {
  const { on } = await staged();
  const box = await on.open();
  const { text, exit } = await on.run(box, "sleep 1000 & echo $!; exit 3");
  expect(exit.code).toBe(3);
  expect(lives(Number(text))).toBe(false);
});

test("a background process is written to, and lives while other commands run", async () => {
  const { on } = await staged();
  const box = await on.open();
  const talk = await on.start(box, 'while read -r line; do echo "<$line>"; done', { writable: true });
  talk.child.input?.write("one\n");
  await on.run(box, "true");
  talk.child.input?.end("two\n");
  expect((await talk.child.exited).code).toBe(0);
  expect(talk.text()).toBe("<one>\n<two>\n");
});

test("folders with odd names are mounted in a form that bears them; a name that none bears is refused", async () => {
  const { engine, on } = await staged();
  const mounted = async (name: string): Promise<string> => {
    await mkdir(on.dir.at(name));
    const box = await on.open({ roots: [on.dir.at(name)] });
    await box[Symbol.asyncDispose]();
    return options((await engine.calls("run")).at(-1));
  };
  const at = (name: string): string => join(on.dir.path, name);
  expect(await mounted("a b,c")).toContain(`--volume ${at("a b,c")}:${at("a b,c")}:rw`);
  expect(await mounted("a:b")).toContain(`--mount type=bind,source=${at("a:b")},target=${at("a:b")}`);
  await expect(mounted("a:b,c")).rejects.toThrow("has both : and , in its name");
  await expect(mounted('quo"te')).rejects.toThrow("cannot be mounted in a container: rename it");
});

test("a container ends with its input, which ends with the host; the next life removes what did not", async () => {
  const { engine, on } = await staged({}, { hostId: "dead" });
  await on.open();
  const next = await stage({ env: engine.env, hostId: "next", settings: { engine: "docker" } });
  onTestFinished(() => next[Symbol.asyncDispose]());
  await next.open();
  expect(await engine.containers()).toHaveLength(2);
  expect(await removeContainersOf("dead", next.engine)).toBe(1);
  expect(await removeContainersOf("none", next.engine)).toBe(0);
  const asked = (await engine.calls("ps")).map((call) => call.at(-1));
  expect(asked).toEqual(["label=agent.host=dead", "label=agent.host=none"]);
});
