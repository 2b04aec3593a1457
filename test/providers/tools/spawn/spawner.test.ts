import { readFile } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { handClock } from "../../../kit/clock.ts";
import { random, times } from "../../../kit/counts.ts";
import { bench, drive, hastyClock, hostileTree, memoryLedger } from "./spawning.ts";

/** Programs are started by the host itself, or for it: nobody can tell. */
const WAYS = [
  ["by the host", {}],
  ["for the host", { forks: true }],
] as const;

describe.each(WAYS)("a child that is started %s", (_way, way) => {
  test("says everything, in the order in which it said it on both outputs", async () => {
    await using at = await bench(way);
    const run = await at.run(
      "for i in 1 2 3; do echo out $i; echo err $i >&2; done; echo last > /dev/stderr",
    );
    expect(await run.child.exited).toEqual({ code: 0, signal: null, left: 0 });
    expect(run.text()).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nlast\n");
  });

  test("has its errors apart when they are asked for", async () => {
    await using at = await bench(way);
    let errors = "";
    const run = await at.run("echo out; echo err >&2; exit 3", {
      errors: (chunk) => void (errors += Buffer.from(chunk).toString()),
    });
    expect(await run.child.exited).toEqual({ code: 3, signal: null, left: 0 });
    expect([run.text(), errors]).toEqual(["out\n", "err\n"]);
  });

  test("reads an empty file, or what is written to it", async () => {
    await using at = await bench(way);
    const empty = await at.run("cat; echo end");
    await empty.child.exited;
    expect(empty.text()).toBe("end\n");
    const run = await at.run("read line; echo got $line", { writable: true });
    run.child.input?.write("hello\n");
    await run.child.exited;
    expect(run.text()).toBe("got hello\n");
    const reopened = await at.run("read line < /dev/stdin; echo got $line", { writable: true });
    reopened.child.input?.write("again\n");
    await reopened.child.exited;
    expect(reopened.text()).toBe("got again\n");
    const ended = await at.run("cat; echo end", { writable: true });
    ended.child.input?.end("last words\n");
    await ended.child.exited;
    expect(ended.text()).toBe("last words\nend\n");
  });

  test("that is a shell runs no file of the person's own, whatever it reads from", async () => {
    await using at = await bench(way);
    await at.dir.write({ "home/.bashrc": "echo from bashrc\n", "home/.profile": "echo from profile\n" });
    const env = { HOME: at.dir.at("home") };
    const run = await at.run("echo one; bash -c 'echo two'", { writable: true, env });
    await run.child.exited;
    expect(run.text()).toBe("one\ntwo\n");
  });

  test("loses nothing of a long output, however quickly it ends", async () => {
    await using at = await bench(way);
    for (let i = 0; i < times(200); i += 1) {
      let bytes = 0;
      const { child } = await at.run("head -c 300000 /dev/zero", {
        output: (chunk) => void (bytes += chunk.length),
      });
      await child.exited;
      expect(bytes).toBe(300_000);
    }
  });

  test("waits while its output is not taken", async () => {
    await using at = await bench(way);
    let bytes = 0;
    const gate = Promise.withResolvers<void>();
    const first = Promise.withResolvers<void>();
    const { child } = await at.run("head -c 2000000 /dev/zero; echo end > done", {
      async output(chunk) {
        bytes += chunk.length;
        first.resolve();
        await gate.promise;
      },
    });
    await first.promise;
    expect(bytes).toBeLessThan(200_000);
    gate.resolve();
    expect((await child.exited).code).toBe(0);
    expect(bytes).toBe(2_000_000);
    expect(await readFile(at.dir.at("done"), "utf8")).toBe("end\n");
  });

  test("sees the allowed part of the environment only", async () => {
    await using at = await bench(way);
    process.env["SOME_API_KEY"] = "sk-secret";
    const run = await at.run("env", { env: { EXTRA: "1" } });
    delete process.env["SOME_API_KEY"];
    await run.child.exited;
    expect(run.text()).not.toContain("sk-secret");
    expect(run.text()).toMatch(/^EXTRA=1$/m);
    expect(run.text()).toMatch(/^AGENT_SPAWN=host-.{6}\.1$/m);
  });

  test("does without real pipes where none can be made", async () => {
    await using at = await bench({ ...way, tempDir: "/no/such/place" });
    await at.dir.write({ "home/.bashrc": "echo from bashrc\n" });
    const run = await at.run("read line; echo got $line; echo err >&2", {
      writable: true,
      env: { HOME: at.dir.at("home") },
    });
    run.child.input?.write("hello\n");
    expect((await run.child.exited).code).toBe(0);
    expect(run.text().split("\n").sort()).toEqual(["", "err", "got hello"]);
  });

  test("that cannot be started is a clear error", async () => {
    await using at = await bench(way);
    await expect(at.run("", { file: "/no/such" })).rejects.toThrow(
      "Cannot start bash: there is no such program",
    );
    await expect(at.run("", { cwd: "/no/such" })).rejects.toThrow("or its directory is gone");
    await expect(at.run("", { file: "/etc/passwd" })).rejects.toThrow("it is not executable");
    await expect(at.run(`true ${"x".repeat(3_000_000)}`)).rejects.toThrow("put the text into a file");
    await expect(at.run("", { signal: AbortSignal.abort() })).rejects.toThrow("bash was not started");
  });

  test("is noted before anybody can use it, and forgotten when it is gone", async () => {
    const ledger = memoryLedger();
    await using at = await bench({ ...way, ledger });
    const run = await at.run("echo up; sleep 1000");
    const { pid } = run.child;
    expect([...ledger.children.values()]).toMatchObject([{ pid, session: "s1", label: "bash" }]);
    await run.child.kill();
    await at.spawner[Symbol.asyncDispose]();
    expect(ledger.children.size).toBe(0);
  });

  test("that cannot be noted does not run", async () => {
    const ledger = { ...memoryLedger(), record: () => Promise.reject(new Error("disk full")) };
    await using at = await bench({ ...way, ledger, clock: hastyClock });
    await expect(at.run("trap '' TERM; sleep 1000 & wait")).rejects.toThrow("disk full");
    expect(await at.alive()).toEqual([]);
  });
});

/**
 * A program that does something when it gets TERM. Not a shell: one that gets it as it starts a program hears of it late. Nor one
 * long wait: a signal that comes just before it is answered after it.
 */
function answeringTerm(does: string): string {
  return `exec perl -e '$| = 1; $SIG{TERM} = sub { ${does} }; print "up\\n"; select undef, undef, undef, 0.01 while 1'`;
}

describe.each(WAYS)("the end of a child that is started %s", (_way, way) => {
  test("does not wait for a grandchild that keeps the pipe open, and ends it", async () => {
    await using at = await bench({ ...way, clock: hastyClock });
    const run = await at.run(
      "echo begin; setsid bash -c 'trap \"\" TERM; sleep 1000 & wait; sleep 1000' & echo end",
    );
    const exit = await run.child.exited;
    expect(exit.code).toBe(0);
    expect(exit.left).toBeGreaterThan(0);
    expect(run.text()).toBe("begin\nend\n");
    await run.child.kill();
    expect(await at.alive()).toEqual([]);
  });

  test("comes within a second even when a grandchild never stops writing", async () => {
    await using at = await bench({ ...way, clock: hastyClock });
    const run = await at.run("setsid bash -c 'trap \"\" TERM PIPE; while :; do echo more; done' & sleep 0.1");
    expect((await run.child.exited).left).toBeGreaterThan(0);
    await run.child.kill();
    expect(await at.alive()).toEqual([]);
  });

  test("is asked for with TERM first; KILL comes two seconds later", async () => {
    const clock = handClock();
    await using at = await bench({ ...way, clock });
    const polite = await at.run(answeringTerm('print "bye\\n"; exit 7'));
    await polite.until("up");
    const ended = polite.child.kill();
    expect((await polite.child.exited).code).toBe(7);
    await drive(clock, ended);
    expect(polite.text()).toBe("up\nbye\n");

    const stubborn = await at.run(answeringTerm('print "no\\n"'));
    await stubborn.until("up");
    const start = clock.monotonic();
    const killed = stubborn.child.kill();
    await stubborn.until("no");
    await drive(clock, killed);
    expect(await stubborn.child.exited).toMatchObject({ signal: "SIGKILL" });
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(2000);
  });

  // Only Linux tells what program a process has become.
  test.skipIf(process.platform !== "linux")(
    "is asked for again when a shell has become another program",
    async () => {
      const clock = handClock();
      await using at = await bench({ ...way, clock });
      const script = "trap 'echo got' TERM; echo up; until [ -e go ]; do sleep 0.01; done; exec sleep 1000";
      const run = await at.run(script);
      await run.until("up");
      const killed = run.child.kill();
      await run.until("got");
      await at.dir.write({ go: "" });
      while (!(await readFile(`/proc/${run.child.pid}/comm`, "utf8")).startsWith("sleep")) await turn();
      // The first look after the signal. Later ones, and KILL, do not come.
      clock.advance(5);
      expect((await run.child.exited).signal).toBe("SIGTERM");
      await drive(clock, killed);
    },
  );

  test("is asked for once where a program ends in its own time, also under another name", async () => {
    const clock = handClock();
    await using at = await bench({ ...way, clock });
    const run = await at.run(answeringTerm('$0 = "ending"; print "got\\n"'));
    await run.until("up");
    const killed = run.child.kill();
    await run.until("got");
    await drive(clock, killed);
    expect(await run.child.exited).toMatchObject({ signal: "SIGKILL" });
    expect(run.text()).toBe("up\ngot\n");
  });

  test("is brought about by the signal it was started with", async () => {
    const abort = new AbortController();
    await using at = await bench(way);
    const run = await at.run("echo up; sleep 1000", { signal: abort.signal });
    await run.until("up");
    abort.abort();
    expect((await run.child.exited).signal).toBe("SIGTERM");
    await run.child.kill();
    expect(await at.alive()).toEqual([]);
  });

  test("reaches processes that are stopped", async () => {
    await using at = await bench(way);
    const run = await at.run("(kill -STOP $BASHPID) & echo up; sleep 1000");
    await run.until("up");
    await run.child.kill();
    expect(await at.alive()).toEqual([]);
  });

  test("comes for all children when the spawner is disposed", async () => {
    const at = await bench(way);
    const runs = await Promise.all([1, 2, 3].map(() => at.run("echo up; sleep 1000")));
    await Promise.all(runs.map((run) => run.until("up")));
    await at.spawner[Symbol.asyncDispose]();
    expect(await at.alive()).toEqual([]);
    await at[Symbol.asyncDispose]();
  });

  test("leaves nobody of a tree that does all it can to stay", async () => {
    // The time after which one is given up stays: on a busy machine the system takes long to end some.
    await using at = await bench({ graceMs: 100 });
    const number = random(1);
    const total = times(1000);
    let survivors = 0;
    for (let done = 0; done < total; done += 5) {
      const scripts = Array.from({ length: Math.min(5, total - done) }, () => hostileTree(number));
      await Promise.all(
        scripts.map(async (script) => {
          const run = await at.run(script);
          await run.until("up");
          await run.child.kill();
        }),
      );
      survivors += (await at.alive()).length;
    }
    expect(survivors).toBe(0);
    console.log(`${total} trees killed, ${survivors} survivors`);
  }, 900_000);
});
