import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { testSandbox, tryEscapes } from "../../../../src/providers/tools/sandbox/index.ts";
import { engine, stage, why } from "./sandbox-stage.ts";

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`a program in the sandbox ${why}`, () => {
  test("writes the workspace and its own temporary folder, which stays for the next one", async () => {
    await using at = await stage();
    const first = await at.run("echo one > file; echo two > /tmp/file; echo three > ~/file; pwd");
    expect(first).toMatchObject({ exit: { code: 0 }, text: `${at.root}\n` });
    expect((await at.run("cat file /tmp/file ~/file")).text).toBe("one\ntwo\nthree\n");
    expect(await readFile(at.dir.at("ws/file"), "utf8")).toBe("one\n");
  });

  test("neither writes nor reads what is outside", async () => {
    await using at = await stage();
    const secret = at.dir.at("agent/secret");
    const tries = `cat ${secret}; echo x > ${secret}; echo x > ${at.dir.at("home/new")}; echo x > /usr/new; echo x > /new`;
    const { text } = await at.run(tries);
    expect(text).not.toContain("canary");
    expect(text.match(/No such file|Read-only|Permission denied/g)).toHaveLength(5);
    expect((await at.run(`cat ${secret}`, { sandbox: undefined })).text).toBe("canary");
  });

  test("reads what of /etc is for all, as it is outside, and changes nothing there", async () => {
    await using at = await stage();
    const listed =
      "for each in ssl/certs alternatives; do ls -A /etc/$each 2>/dev/null | sort | cksum; done; cat /etc/services | cksum";
    const inside = await at.run(listed);
    expect(inside.text).toBe((await at.run(listed, { sandbox: undefined })).text);
    const writes =
      "for each in . ssl ssl/certs alternatives; do echo x > /etc/$each/written && echo through; done";
    expect((await at.run(writes)).text).not.toContain("through");
    expect((await at.run("ls /etc/shadow /etc/ssl/private/*; cat /etc/shadow")).exit.code).not.toBe(0);
    expect((await at.run("cat /etc/shadow; ls -A /etc/ssl/private 2>/dev/null | wc -l")).text).toMatch(
      /No such file[^\n]*\n0\n$/,
    );
  });

  test("is told which host was refused, and so is the caller", async () => {
    await using at = await stage();
    const { text, exit } = await at.run("curl -sS http://example.com/");
    expect(text).toContain("The sandbox refuses example.com:80");
    expect(exit.sandbox?.refusedHosts).toMatchObject([{ host: "example.com", port: 80, reason: "unlisted" }]);
  });
});

describe.skipIf(engine === undefined)(`the proof of a sandbox ${why}`, () => {
  test("is that every escape was tried and none went through, while all of them work where there are no walls", async () => {
    await using at = await stage();
    if (engine?.kind !== "bubblewrap") return;
    const tools = { machine: process, clock: systemClock, spawner: at.spawner };
    const policy = {
      roots: [],
      apart: [at.dir.at("agent")],
      home: at.dir.at("home"),
      tempDir: at.dir.at("tmp"),
    };
    const inside = await testSandbox(engine, policy, tools);
    expect(inside.tries.filter(({ held }) => !held)).toEqual([]);
    expect(inside).toMatchObject({ holds: true });
    expect(inside.tries).toHaveLength(5);
    const places = {
      root: at.root,
      outside: at.dir.at("tmp"),
      secretIn: at.dir.at("agent"),
      sandbox: undefined,
    };
    const outside = await tryEscapes({ ...places, interpreter: engine.first.name }, tools);
    expect(outside.tries.filter(({ held }) => held)).toEqual([]);
  });
});
