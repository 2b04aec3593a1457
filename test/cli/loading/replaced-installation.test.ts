import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { callTool, type ModelServer, reply, startModelServer } from "../../kit/model-server/index.ts";

const REPLACED =
  /The installed program was replaced while it ran, and [\w-]+\.cjs is gone\. Start the agent anew\./;
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Puts a copy of the built program into the stage's folder; gives what removes a part of it, as a build with other names does. */
function install(stage: CommandStage): (part: string) => void {
  const folder = join(stage.folder, "installed");
  mkdirSync(folder);
  for (const part of ["bin", "package.json"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const isProgram = (path: string): boolean => !/\.map$|\/dist\/(?:chunks|web)$/.test(path);
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true, filter: isProgram });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  stage.program = join(folder, "bin", "agent.js");
  const command = join(folder, "dist", "command");
  return (part) => {
    const gone = readdirSync(command).filter((name) => name.startsWith(`${part}-`));
    expect(gone).not.toEqual([]);
    for (const name of gone) rmSync(join(command, name));
  };
}

/** A gateway of an installation of its own. */
async function startInstalled(stage: CommandStage, server: ModelServer) {
  stage.configure(
    `model: {provider: local, base_url: ${JSON.stringify(server.baseUrl)}, default: m}\napprovals: {mode: "off"}\n`,
  );
  const remove = install(stage);
  const { command, url } = await startGateway(stage);
  const ask = async (content: string): Promise<string> => {
    const body = JSON.stringify({ messages: [{ role: "user", content }] });
    const headers = { authorization: `Bearer ${GATEWAY_KEY}` };
    return await (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  };
  return { command, url, ask, remove };
}

test("a gateway whose installation is replaced goes on; what it had not loaded yet is told, and stops no call", async () => {
  await using server = await startModelServer();
  const call = callTool("write_file", { path: "note.txt", content: "written" });
  server.script(reply([call]), reply("over"));
  await using stage = new CommandStage();
  const { command, ask, remove } = await startInstalled(stage, server);
  remove("checkpoints");
  expect(await ask("write")).toContain("over");
  expect(readFileSync(join(stage.workspace, "note.txt"), "utf8")).toBe("written");
  command.child.kill("SIGTERM");
  const { code, stderr } = await command.end;
  expect([code, stderr]).toEqual([0, expect.stringMatching(REPLACED)]);
});

test("a turn that needs what is gone fails in words, and the gateway goes on", async () => {
  await using server = await startModelServer();
  server.script(reply("never heard"));
  await using stage = new CommandStage();
  const { command, url, ask, remove } = await startInstalled(stage, server);
  remove("body-decoder");
  expect(await ask("hi")).toMatch(REPLACED);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});
