import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

/** With the exit codes that each may have where there is nobody, nothing configured that works, and nothing to read. */
const COMMANDS: readonly (readonly [command: string, ...codes: number[]])[] = [
  ["", 0],
  ["run", 2],
  ["run hi", 1],
  ["acp", 0],
  ["acp --setup", 2],
  ["rpc", 0],
  ["sessions", 0],
  ["sessions show nope", 1],
  ["stats", 0],
  ["model", 0],
  ["setup", 2],
  ["skills", 0],
  ["jobs list", 0],
  ["jobs create", 2],
  ["jobs tick", 0],
  ["webhook list", 0],
  ["webhook subscribe a", 1],
  ["mcp list", 0],
  ["fleet status", 0],
  ["gateway", 2],
  ["doctor", 1],
];

test("no command waits, asks or breaks where there is no terminal, no input, no home and no model", async () => {
  await using stage = new CommandStage();
  stage.env["HOME"] = "";
  stage.configure(
    "model: { provider: local, base_url: 'http://127.0.0.1:1/v1', default: m }\nretries: { tries: 1 }\n",
  );
  const waiting = [...COMMANDS];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [command, ...codes] = next;
      const { code, stdout, stderr } = await stage.run(command.split(" ").filter((word) => word !== ""));
      expect(codes, `agent ${command}: ${stderr}`).toContain(code);
      expect(stderr, command).not.toMatch(/^\s+at |\bnode:internal\b/m);
      // Whoever fails says so in one line; a wrong use is followed by the way to the help.
      if (code !== 0 && stdout === "")
        expect(stderr, command).toMatch(/^agent: [^\n]+\n(Run `agent [^\n]+\n)?$/);
      if (/^(acp|rpc)$/.test(command))
        for (const line of stdout.trim().split("\n")) expect(line === "" || JSON.parse(line)).toBeTruthy();
      expect(stdout + stderr, command).not.toContain("\u001b");
    }
  };
  await Promise.all([work(), work(), work()]);
});
