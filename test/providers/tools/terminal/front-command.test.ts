import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { runForPerson } from "../../../../src/providers/tools/terminal/person-shell.ts";
import { terminalStage } from "./terminal-stage.ts";

test("a command of the model goes on in the background, and its call answers at once", async () => {
  const seen = Promise.withResolvers<void>();
  await using at = await terminalStage({ onPreview: () => seen.resolve() });
  const running = at.terminal({ command: "echo one; until [ -e go ]; do sleep 0.05; done; echo two" });
  await seen.promise;
  expect(await at.background.toBackground("other")).toEqual([]);
  const [moved] = await at.background.toBackground(at.stage.context.session.id);
  const id = moved?.id ?? "";
  const said = await running;
  expect(said.result).toMatchObject({ outcome: "ok", summary: `goes on in the background as ${id}` });
  expect(said.text).toContain("one");
  expect(said.text).toContain(`goes on in the background as ${id}`);
  expect(await at.background.toBackground(at.stage.context.session.id)).toEqual([]);
  expect((await at.process({ action: "list" })).text).toContain("running");
  await at.dir.write({ "in/go": "" });
  const waited = await at.process({ action: "wait", id });
  expect(waited.text).toMatch(/one\n[\s\S]*two/);
  expect(waited.text).toContain("ended with exit code 0");
});

test("a call that has begun and has not come to its command yet goes to the background, too", async () => {
  await using at = await terminalStage();
  const { session } = at.stage.context;
  const never = new AbortController();
  const moving = at.background.toBackground(session.id, undefined, never.signal);
  const running = at.terminal({ command: "echo one; sleep 600" });
  const [moved] = await moving;
  expect((await running).result).toMatchObject({ summary: `goes on in the background as ${moved?.id}` });
  await at.background.stop(session.id);
});

test("nobody waits for the command of a call that is over", async () => {
  await using at = await terminalStage();
  const { session, callId } = at.stage.context;
  const over = new AbortController();
  const moving = at.background.toBackground(session.id, callId, over.signal);
  over.abort();
  expect(await moving).toEqual([]);
});

test("the end of the turn does not end what went to the background; the end of the session's processes does", async () => {
  const seen = Promise.withResolvers<void>();
  await using at = await terminalStage({ onPreview: () => seen.resolve() });
  const running = at.terminal({ command: "echo here; sleep 600" });
  await seen.promise;
  const [moved] = await at.background.toBackground(at.stage.context.session.id);
  await running;
  at.stage.abort();
  expect(moved?.exit).toBeUndefined();
  expect((await at.alive()).length).toBeGreaterThan(0);
  expect(await at.background.stop(at.stage.context.session.id)).toBe(1);
  expect(await at.alive()).toEqual([]);
});

test("a person's command goes on in the background under its stream's name", async () => {
  await using at = await terminalStage();
  const { platform, pid, execPath, argv, env } = process;
  const machine = { platform, pid, execPath, argv, env, kill: () => true };
  const seen = Promise.withResolvers<void>();
  const stop = new AbortController();
  const run = runForPerson(
    { machine, spawner: at.spawner, clock: systemClock, background: at.background },
    {
      command: "echo one; until [ -e go ]; do sleep 0.05; done; touch done",
      cwd: at.dir.at("in"),
      keep: 1000,
      signal: stop.signal,
      onOutput: () => seen.resolve(),
      front: { session: "s", key: "shell-1" },
    },
  );
  await seen.promise;
  const [moved] = await at.background.toBackground("s", "shell-1");
  expect(await run).toMatchObject({ background: moved?.id, stdout: "one\n" });
  stop.abort();
  await at.dir.write({ "in/go": "" });
  await moved?.child.exited;
  expect(existsSync(at.dir.at("in/done"))).toBe(true);
  expect(moved?.output.since(0).text).toBe("one\n");
});

test("a command that has printed and is not noted as a child yet goes to the background, too", async () => {
  await using at = await terminalStage();
  const printed = Promise.withResolvers<void>();
  using front = at.background.front({ session: "s", key: "k", command: "echo one; sleep 600" });
  const spawning = at.spawner.spawn({
    file: "/bin/sh",
    args: ["-c", "echo one; sleep 600"],
    cwd: at.dir.path,
    label: "sh",
    session: "s",
    output: () => printed.resolve(),
    signal: new AbortController().signal,
  });
  await printed.promise;
  const moving = at.background.toBackground("s");
  front.began(await spawning);
  expect((await moving).map(({ command }) => command)).toEqual(["echo one; sleep 600"]);
  expect(front.moved.aborted).toBe(true);
  await at.background.stop("s");
});

test("each beginning and end of a command in the background is told, and whether the model saw the end", async () => {
  const told: unknown[] = [];
  const first = Promise.withResolvers<void>();
  await using at = await terminalStage({
    listener: {
      began: (_session, { command }) => told.push(["began", command]),
      ended(_session, { command, exit }, how) {
        told.push([command, exit?.code ?? exit?.signal, how]);
        if (command === "exit 3") first.resolve();
      },
    },
  });
  const begin = async (command: string): Promise<string> => {
    const { text } = await at.terminal({ command, background: true });
    return /bg_\w+/.exec(text)?.[0] ?? "";
  };
  const awaited = await begin("until [ -e go ]; do sleep 0.05; done");
  const waiting = at.process({ action: "wait", id: awaited });
  await at.dir.write({ "in/go": "" });
  expect((await waiting).text).toContain("ended with exit code 0");
  await begin("exit 3");
  await first.promise;
  await begin("sleep 600");
  await at.background.stop(at.stage.context.session.id);
  await begin("sleep 700");
  await at.background[Symbol.asyncDispose]();
  expect(told).toEqual([
    ["began", "until [ -e go ]; do sleep 0.05; done"],
    ["until [ -e go ]; do sleep 0.05; done", 0, { heard: true, withHost: false }],
    ["began", "exit 3"],
    ["exit 3", 3, { heard: false, withHost: false }],
    ["began", "sleep 600"],
    ["sleep 600", "SIGTERM", { heard: false, withHost: false }],
    ["began", "sleep 700"],
    ["sleep 700", "SIGTERM", { heard: false, withHost: true }],
  ]);
});
