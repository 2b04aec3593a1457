import { describe, expect, test } from "vitest";
import { handClock } from "../../../kit/clock.ts";
import { terminalStage, type TerminalStage } from "./terminal-stage.ts";

async function start(at: TerminalStage, command: string): Promise<string> {
  const { result, text } = await at.terminal({ command, background: true });
  expect(result.outcome).toBe("ok");
  const [id = ""] = /bg_[0-9a-f]{8}/.exec(text) ?? [];
  expect(result.content[1]).toEqual({ type: "terminal", terminalId: id, exitCode: null, signal: null });
  return id;
}

/** Waits until a process has printed something, without taking it as read. */
async function untilSaid(at: TerminalStage, id: string, words: string): Promise<void> {
  const process = at.background.list("s1").find((one) => one.id === id);
  const hasSaid = (): boolean => process?.output.since(0).text.includes(words) ?? true;
  while (!hasSaid()) await process?.bell.wait(new AbortController().signal);
}

describe("a command in the background", () => {
  test("goes on after its turn, and is read piece by piece", async () => {
    await using at = await terminalStage();
    const id = await start(at, "echo one; read x; echo two $x; read y; echo three $y; exit 4");
    at.stage.abort();
    await untilSaid(at, id, "one");
    expect((await at.process({ action: "poll", id })).text).toBe(`one\n[${id}: running]`);
    expect((await at.process({ action: "poll", id })).text).toBe(`(nothing new)\n[${id}: running]`);
    await at.process({ action: "write", id, text: "a" });
    await untilSaid(at, id, "two a");
    expect((await at.process({ action: "poll", id })).text).toBe(`two a\n[${id}: running]`);
    await at.process({ action: "write", id, text: "b\n" });
    await untilSaid(at, id, "three b");
    const process = at.background.list("s1")[0];
    await process?.child.exited;
    expect((await at.process({ action: "poll", id })).text).toBe(`three b\n[${id}: ended with exit code 4]`);
    expect((await at.process({ action: "log", id, lines: 2 })).text).toBe(
      `two a\nthree b\n[${id}: ended with exit code 4]`,
    );
    expect((await at.process({ action: "write", id, text: "c" })).text).toContain("is over");
  });

  test("is waited for until it ends or the time is over", async () => {
    const clock = handClock();
    await using at = await terminalStage({ clock });
    const id = await start(at, "echo up; read x; echo end");
    await untilSaid(at, id, "up");
    const waiting = at.process({ action: "wait", id, timeout: 60 });
    await clock.untilPending();
    clock.advance(60_000);
    expect((await waiting).text).toBe(`up\n[${id}: running]`);
    const second = at.process({ action: "wait", id });
    await at.process({ action: "write", id, text: "" });
    expect((await second).text).toBe(`end\n[${id}: ended with exit code 0]`);
  });

  test("does not hold the turn when that is interrupted while it waits", async () => {
    const clock = handClock();
    await using at = await terminalStage({ clock });
    const id = await start(at, "read x");
    const waiting = at.process({ action: "wait", id });
    await clock.untilPending();
    at.stage.abort();
    expect((await waiting).result.outcome).toBe("cancelled");
    await at.process({ action: "write", id, text: "" });
    await at.background.list("s1")[0]?.child.exited;
  });

  test("is ended with all its processes", async () => {
    await using at = await terminalStage();
    const id = await start(at, "setsid sleep 1000 & echo up; sleep 1000");
    await untilSaid(at, id, "up");
    expect((await at.process({ action: "kill", id })).text).toMatch(/^up\n\[bg_\w+: ended by SIGTERM\]$/);
    expect(await at.alive()).toEqual([]);
  });

  test("is listed with the others of its session", async () => {
    const clock = handClock();
    await using at = await terminalStage({ clock });
    expect((await at.process({ action: "list" })).text).toBe("No process was started in the background.");
    const first = await start(at, "exit 1");
    await at.background.list("s1")[0]?.child.exited;
    clock.set(clock.now() + 5000);
    const second = await start(at, "read x");
    expect((await at.process({ action: "list" })).text).toBe(
      `${first}  ended with exit code 1, started 5 s ago  exit 1\n${second}  running, started 0 s ago  read x`,
    );
    expect(at.background.list("other")).toEqual([]);
    expect((await at.process({ action: "poll", id: "bg_0" })).text).toBe(
      `There is no process bg_0; the processes of this session are: ${first}, ${second}`,
    );
    await at.process({ action: "write", id: second, text: "" });
    await at.background.list("s1")[1]?.child.exited;
  });

  test("says what is kept no more when it prints much", async () => {
    await using at = await terminalStage();
    const id = await start(at, "seq 1 200000; echo end");
    await at.background.list("s1")[0]?.child.exited;
    const { text } = await at.process({ action: "poll", id });
    expect(text).toMatch(/^\[… \d+ bytes are kept no more …\]\n/);
    expect(text).toContain("199999\n200000\nend\n");
    expect(text.length).toBeLessThanOrEqual(28_000);
  });
});

describe("the end of a host or a session", () => {
  test("ends its processes and says how many there were", async () => {
    await using at = await terminalStage();
    for (let i = 0; i < 3; i += 1) await start(at, "echo up; sleep 1000");
    await start(at, "true");
    await at.background.list("s1")[3]?.child.exited;
    expect(await at.background.stop("other")).toBe(0);
    expect(await at.background.stop("s1")).toBe(3);
    expect(await at.alive()).toEqual([]);
    expect(at.background.list("s1")).toEqual([]);
    await start(at, "sleep 1000");
    expect(await at.background.stopAll()).toBe(1);
    expect(await at.alive()).toEqual([]);
  });

  test("comes before there are too many", async () => {
    await using at = await terminalStage();
    for (let i = 0; i < 16; i += 1) await start(at, "sleep 1000");
    expect((await at.terminal({ command: "sleep 1000", background: true })).text).toContain(
      "end one with the process tool",
    );
    expect(await at.background.stopAll()).toBe(16);
  });
});

describe("writing to a process", () => {
  test("asks, since it may read commands, and never passes what may not run", async () => {
    await using at = await terminalStage();
    const id = await start(at, "bash");
    expect(await at.permit("process", { action: "write", id, text: "ls" })).toMatchObject({
      verdict: "ask",
      harmless: false,
      command: "ls",
      description: `Writes to ${id}, which runs bash`,
      patterns: [`write:${id}`],
      allowPermanent: false,
    });
    expect(await at.permit("process", { action: "write", id, text: "rm -rf /" })).toMatchObject({
      verdict: "block",
    });
    for (const action of ["list", "poll", "log", "wait", "kill"]) {
      expect(await at.permit("process", { action, id })).toMatchObject({ verdict: "allow" });
    }
    await at.process({ action: "kill", id });
  });
});
