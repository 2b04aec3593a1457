import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeContainersOf } from "../../../../src/providers/tools/container/index.ts";
import { testSandbox } from "../../../../src/providers/tools/sandbox/index.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { stage, type Stage, type StageOptions } from "./container-stage.ts";
import { findRealEngine } from "./real-engine.ts";

const { real, why } = await findRealEngine();
/** Skipped where no engine works, or the image cannot be made; the reason is in the name. */
const isSkipped = real === undefined;
const skipped = isSkipped ? ` (skipped: ${why})` : "";

async function realStage(options: StageOptions = {}): Promise<Stage> {
  if (real === undefined) throw new Error(why);
  const { engine, image, env } = real;
  return await stage({ ...options, env, settings: { engine, image, ...options.settings } });
}

test.skipIf(isSkipped)(
  `a command runs in the workspace, and its files are the person's${skipped}`,
  async () => {
    await using on = await realStage();
    const box = await on.open();
    const { text, exit } = await on.run(box, "pwd; echo made > made; exit 7");
    expect([text, exit.code]).toEqual([`${on.root}\n`, 7]);
    const made = await stat(join(on.root, "made"));
    expect(made.uid).toBe(process.getuid?.());
    expect(await readFile(join(on.root, "made"), "utf8")).toBe("made\n");
  },
);

test.skipIf(isSkipped)(
  `the same container serves all commands, and is gone with the session${skipped}`,
  async () => {
    await using on = await realStage();
    const box = await on.open();
    await on.run(box, "echo kept > /tmp/kept");
    const first = await on.run(box, "cat /tmp/kept; stat -c %Y /proc/1");
    const second = await on.run(box, "cat /tmp/kept; stat -c %Y /proc/1");
    expect(first.text).toMatch(/^kept\n\d+\n$/);
    expect(second.text).toBe(first.text);
    const name = async (): Promise<string> =>
      (
        await on.engine.commands.run(
          ["ps", "-aq", "--filter", `label=agent.host=${on.engine.hostId}`],
          20_000,
        )
      ).text;
    expect(await name()).not.toBe("");
    await box[Symbol.asyncDispose]();
    expect(await name()).toBe("");
  },
);

test.skipIf(isSkipped)(`escapes of each kind are tried, and none goes through${skipped}`, async () => {
  await using on = await realStage();
  const test = await testSandbox(on.engine, on.policy, {
    machine: on.machine,
    clock: systemClock,
    spawner: on.spawner,
  });
  expect(test.tries.filter(({ held }) => !held)).toEqual([]);
  expect(test.holds).toBe(true);
  expect(test.tries).toHaveLength(5);
});

const ESCAPES: Readonly<Record<string, string>> = {
  "write the root": "echo x > /outside",
  "write the system's settings": "echo x > /etc/passwd",
  "write a setting of the kernel": "echo 1 > /proc/sys/kernel/core_pattern",
  "ask the kernel for a crash": "echo c > /proc/sysrq-trigger",
  "mount something": "mount -t tmpfs none /tmp",
  "mount the root again": "mount -o remount,rw /",
  "make a device": "mknod /tmp/disk b 254 0",
  "change its name": "hostname other",
  "find an engine's socket": "ls /var/run/docker.sock /run/docker.sock /run/podman/podman.sock",
  "read the agent's home": 'cat "$SECRET"',
  "change the scripts of the host": "echo x > /run/agent/run",
  "take up a network": "ip link add dummy0 type dummy",
  "change the owner of a file": "touch o && chown 12345 o",
  "use a new root": "mkdir -p /tmp/r && chroot /tmp/r",
  "read the host's processes": "ls /proc/*/cwd/agent/secret",
};

for (const [what, script] of Object.entries(ESCAPES)) {
  test.skipIf(isSkipped)(`a command cannot ${what}${skipped}`, async () => {
    await using on = await realStage();
    const box = await on.open();
    const { text } = await on.run(box, `{ ${script}; } >/tmp/said 2>&1 && echo through || echo held`, {
      env: { SECRET: on.dir.at("agent", "secret") },
    });
    expect(text).toBe("held\n");
  });
}

test.skipIf(isSkipped)(
  `secrets of the workspace are covered, and what git obeys can only be read${skipped}`,
  async () => {
    await using on = await realStage();
    await mkdir(join(on.root, ".git", "hooks"), { recursive: true });
    await writeFile(join(on.root, ".git", "config"), "[core]\n");
    await writeFile(join(on.root, ".git", "HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(on.root, ".env"), "KEY=canary\n");
    const box = await on.open();
    const { text } = await on.run(
      box,
      "cat .env; echo x > .git/hooks/pre-commit; echo x >> .git/config; echo o > .git/open && echo open",
    );
    expect(text).not.toContain("canary");
    expect(text).toContain("open\n");
    expect(await readFile(join(on.root, ".git", "config"), "utf8")).toBe("[core]\n");
    await expect(stat(join(on.root, ".git", "hooks", "pre-commit"))).rejects.toThrow("ENOENT");
  },
);

test.skipIf(isSkipped)(`a repository made inside has no hooks afterwards${skipped}`, async () => {
  await using on = await realStage();
  const box = await on.open();
  const script =
    "mkdir -p .git/hooks .git/objects .git/refs; echo ref: refs/heads/main > .git/HEAD; echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
  const { exit } = await on.run(box, script);
  expect(exit.sandbox?.disarmed.length).toBeGreaterThan(0);
  await expect(stat(join(on.root, ".git", "hooks", "pre-commit"))).rejects.toThrow("ENOENT");
  const again = await on.run(box, "echo x > .git/hooks/pre-commit && echo through || echo held");
  expect(again.text).toContain("held");
});

test.skipIf(isSkipped)(`ending a call ends what runs inside, also what hides${skipped}`, async () => {
  await using on = await realStage();
  const box = await on.open();
  const stop = new AbortController();
  const running = await on.start(
    box,
    "trap '' TERM; (setsid sleep 1001 &); sleep 1002 & echo started; sleep 1003",
    { signal: stop.signal, output: () => stop.abort() },
  );
  await running.child.exited;
  // Resolves when the call's last process is gone.
  await running.child.kill();
  const left = await on.run(box, "ps -o args | grep 'sleep 100[1-3]'");
  expect(left.text).toBe("");
});

test.skipIf(isSkipped)(
  `what a command leaves behind ends with it, also without its marks${skipped}`,
  async () => {
    await using on = await realStage();
    const box = await on.open();
    await on.run(box, "sleep 1001 & (setsid env -i sleep 1002 &); echo over");
    const left = await on.run(box, "ps -o pid,ppid,sid,args | grep 'sleep 100[12]'");
    expect(left.text).toBe("");
  },
);

test.skipIf(isSkipped)(`a program reads its input and its outputs keep their order${skipped}`, async () => {
  await using on = await realStage();
  const box = await on.open();
  const { child, text } = await on.start(box, 'read line; echo "got $line"; echo two >&2; echo three', {
    writable: true,
  });
  child.input?.end("hello\n");
  await child.exited;
  expect(text()).toBe("got hello\ntwo\nthree\n");
});

test.skipIf(isSkipped)(`memory and the number of processes are bounded${skipped}`, async () => {
  await using on = await realStage({ settings: { memory: "64m", pids: 40 } });
  const box = await on.open();
  const memory = await on.run(box, "perl -e '$x = \"x\" x 300_000_000; print length $x'");
  expect(memory.text).not.toContain("300000000");
  expect(memory.exit.code).not.toBe(0);
  const many = await on.run(box, "i=0; while test $i -lt 100; do sleep 5 & i=$((i+1)); done; echo all");
  expect(many.text).not.toContain("all\n");
});

test.skipIf(isSkipped)(
  `listed hosts are reached over the way out, others are refused and told${skipped}`,
  async () => {
    await using on = await realStage();
    const server = createServer((_, answer) => answer.end("reached"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      const box = await on.open({ hosts: [`127.0.0.1:${port}`] });
      const { text, exit } = await on.run(
        box,
        `http_proxy=http://127.0.0.1:3128 no_proxy= wget -q -O - http://127.0.0.1:${port}/; http_proxy=http://127.0.0.1:3128 wget -q -O - http://unlisted.example/`,
      );
      expect(text).toContain("reached");
      expect(exit.sandbox?.refusedHosts.map(({ host }) => host)).toEqual(["unlisted.example"]);
    } finally {
      server.close();
    }
  },
);

test.skipIf(isSkipped)(
  `folders with odd names are mounted, and a link's name leads to its folder${skipped}`,
  async () => {
    await using on = await realStage();
    for (const name of ["with space", "with:colon", "with,comma", "with'quote", "ünï", "$HOME", "-dash"]) {
      const root = on.dir.at(name);
      await mkdir(root);
      await writeFile(join(root, "in"), name);
      const box = await on.open({ roots: [root] });
      expect((await on.run(box, "cat in; pwd", { cwd: root })).text).toBe(`${name}${root}\n`);
      await box[Symbol.asyncDispose]();
    }
    await symlink(on.root, on.dir.at("link"));
    const box = await on.open({ roots: [on.dir.at("link")] });
    expect((await on.run(box, `echo x > ${on.dir.at("link")}/l; cat ${on.root}/l`)).text).toBe("x\n");
  },
);

test.skipIf(isSkipped)(
  `a container that somebody removed is replaced at the next command${skipped}`,
  async () => {
    await using on = await realStage();
    const box = await on.open();
    expect(await removeContainersOf(on.engine.hostId, on.engine)).toBe(1);
    // The engine's program for it ends a moment later.
    let back = await on.run(box, "echo back");
    while (back.exit.code !== 0) back = await on.run(box, "echo back");
    expect(back.text).toBe("back\n");
  },
);
