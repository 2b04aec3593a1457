import { expect, test } from "vitest";
import { realpath } from "node:fs/promises";
import { type Bench, bench, memoryLedger } from "./spawning.ts";

test("once the fork server is there, it starts programs as this process would", async () => {
  await using at = await bench();
  const files: Parameters<typeof said>[2] = { file: "ls", args: ["/proc/self/fd"] };
  const own = await said(at, "", files);
  const server = await serverOf(at);
  expect(await said(at, "", files)).toBe(own);
  expect(await said(at, "pwd; echo $PPID $(cut -d' ' -f6 /proc/$$/stat) $$; echo $WORD; cat")).toMatch(
    new RegExp(`^${await realpath(at.dir.path)}\n${server} (\\d+) \\1\n\n$`),
  );
  expect(await said(at, 'echo "$WORD" >&2', { env: { WORD: "ä=\n=" } })).toBe("ä=\n=\n");
  const signals = await said(at, "", { file: "grep", args: ["-hE", "^Sig(Blk|Ign)", "/proc/self/status"] });
  expect(signals).toBe("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  expect(await (await at.run("exit 7")).child.exited).toEqual({ code: 7, signal: null, left: 0 });
  expect(await (await at.run("kill -KILL $$")).child.exited).toMatchObject({ code: null, signal: "SIGKILL" });
  await expect(at.run("", { file: "no-such-program" })).rejects.toThrow("there is no such program");
  await expect(at.run("", { cwd: at.dir.at("gone") })).rejects.toThrow("its directory is gone");
  const many = await Promise.all(Array.from({ length: 20 }, (_, i) => said(at, `echo ${i}; exit ${i}`)));
  expect(many).toEqual(Array.from({ length: 20 }, (_, i) => `${i}\n`));
  const written = await at.run("read -r line; echo got $line; cat", { writable: true });
  written.child.input?.end("it\nrest");
  await written.child.exited;
  expect(written.text()).toBe("got it\nrest");
});

test("a fork server that is killed takes its programs along, and another one comes", async () => {
  const ledger = memoryLedger();
  await using at = await bench({ ledger });
  const server = await serverOf(at);
  const running = await at.run("setsid sleep 1000 & echo up; wait");
  await running.until("up");
  process.kill(server, "SIGKILL");
  expect(await running.child.exited).toMatchObject({ code: null, signal: "SIGHUP" });
  await running.child.kill();
  expect(await at.alive()).toEqual([]);
  expect(await serverOf(at)).not.toBe(server);
  await expect.poll(() => ledger.children.size).toBe(0);
});

/** The process that starts programs, when it is not this one any more. */
async function serverOf(at: Bench): Promise<number> {
  for (;;) {
    const parent = Number(await said(at, "echo $PPID").catch(() => process.pid));
    if (parent !== process.pid) return parent;
  }
}

async function said(at: Bench, script: string, request: Parameters<Bench["run"]>[1] = {}): Promise<string> {
  const running = await at.run(script, request);
  await running.child.exited;
  return running.text();
}
