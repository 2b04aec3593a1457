import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

const run = promisify(execFile);
const fileOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const TOKEN = "good-for-these-programs-42";
const env = { ...process.env, AGENT_GATEWAY_TOKEN: TOKEN };

/** The address that a gateway of a test's own shows. */
async function listening(stage: CommandStage): Promise<string> {
  stage.env["AGENT_GATEWAY_TOKEN"] = TOKEN;
  const { child } = stage.start(["rpc", "--listen", "127.0.0.1:0"]);
  const shown = Promise.withResolvers<string>();
  child.stderr.on("data", (text: string) => {
    const url = /ws:\S+/.exec(text)?.[0];
    if (url !== undefined) shown.resolve(url);
  });
  return await shown.promise;
}

test("gateway-client: a typed client over WebSocket streams an answer", async () => {
  await using stage = new CommandStage();
  const { stdout } = await run(
    process.execPath,
    [fileOf("examples/gateway-client.ts"), await listening(stage)],
    { env },
  );
  expect(stdout).toMatch(/^Connected to agent \d+\.\d+\.\d+\n1 2 3 4 5\ncomplete, \d+ tokens\n$/);
});

test("gateway-bare: a bare WebSocket does the same", async () => {
  await using stage = new CommandStage();
  const { stdout } = await run(
    process.execPath,
    [fileOf("examples/gateway-bare.ts"), await listening(stage)],
    { env },
  );
  expect(stdout).toBe("1 2 3 4 5\ncomplete\n");
});

test("gateway.sh: a shell script does it over stdio", async () => {
  await using stage = new CommandStage();
  const { PATH = "" } = process.env;
  const own = { PATH, AGENT_HOME: stage.home, AGENT: `${process.execPath} ${fileOf("bin/agent.js")}` };
  const program = fileOf("examples/gateway.sh");
  const { stdout, stderr } = await run("bash", [program, "count to 5"], { cwd: stage.workspace, env: own });
  expect({ stdout, stderr }).toEqual({ stdout: "1 2 3 4 5\n", stderr: "" });
});
